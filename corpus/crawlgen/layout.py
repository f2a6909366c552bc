"""HTML pages: a site's menus, banners and footers around the main content."""

import html
import re
from collections.abc import Callable, Sequence

from corpus.crawlgen.drafts import Block, Draft
from corpus.crawlgen.formula_html import render_text
from corpus.crawlgen.sites import Site
from corpus.crawlgen.writer import Writer

MATHJAX = (
    "<script>window.MathJax = {tex: {inlineMath: [['$', '$'], ['\\\\(', '\\\\)']]}};</script>\n"
    '<script async src="https://cdn.jsdelivr.net/npm/mathjax@3/es5/tex-mml-chtml.js"></script>\n'
)
KATEX = '<link rel="stylesheet" href="/assets/katex.min.css">\n<script defer src="/assets/katex.min.js"></script>\n'
HEAD_OF_FORM = {"dollar": MATHJAX, "paren": MATHJAX, "script": MATHJAX, "mjx": MATHJAX, "katex": KATEX}

Related = Sequence[tuple[str, str]]  # (address, title in plain text)


def plain_title(title: str) -> str:
    """A title without tags or formula marks."""
    return html.unescape(re.sub(r"<[^>]+>", "", render_text(title, "plain")))


def page_html(site: Site, draft: Draft, related: Related, w: Writer, form: str | None = None) -> str:
    """The whole page."""
    form = form or site.form
    body = LAYOUTS[site.layout](site, draft, related, w, form)
    charset = "gb2312" if site.charset == "gb2312" else site.charset
    meta = f'<meta charset="{charset}">'
    if site.layout in ("table", "forum"):
        meta = f'<meta http-equiv="Content-Type" content="text/html; charset={charset}">'
    title = f"{plain_title(draft.title)} {w.rng.choice('-|')} {site.host}"
    lang = {"zh": "zh-CN", "de": "de", "en": "en"}[site.language]
    return (
        f'<!DOCTYPE html>\n<html lang="{lang}">\n<head>\n{meta}\n<title>{html.escape(title)}</title>\n'
        f'<meta name="viewport" content="width=device-width">\n<link rel="stylesheet" href="/css/{site.layout}.css">\n'
        f"{HEAD_OF_FORM.get(form, '')}</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def content_html(blocks: Sequence[Block], form: str, w: Writer, post: Callable[[Block, str, Writer], str]) -> str:
    """The blocks of the main content; neighbouring list items and table rows are put together."""
    parts: list[str] = []
    around = {"li": "ol", "row": "tbody", "head": "tbody"}
    opened = ""
    for block in blocks:
        outer = around.get(block.tag, "")
        if outer != opened:
            parts += [_closing(opened), _opening(outer)]
            opened = outer
        parts.append(_block(block, form, w, post))
    parts.append(_closing(opened))
    return "\n".join(part for part in parts if part)


def _opening(outer: str) -> str:
    return {"ol": "<ol>", "tbody": '<table class="data">\n<tbody>'}.get(outer, "")


def _closing(outer: str) -> str:
    return {"ol": "</ol>", "tbody": "</tbody>\n</table>"}.get(outer, "")


def _block(block: Block, form: str, w: Writer, post: Callable[[Block, str, Writer], str]) -> str:
    if block.tag in ("row", "head"):
        cell = "td" if block.tag == "row" else "th"
        return "<tr>" + "".join(f"<{cell}>{html.escape(text)}</{cell}>" for text in block.text.split("\t")) + "</tr>"
    if block.tag == "code":
        return f"<pre><code>{html.escape(block.text, quote=False)}</code></pre>"
    text = render_text(block.text, form)
    return post(block, text, w) if block.tag == "post" else f"<{block.tag}>{text}</{block.tag}>"


def _comment(block: Block, text: str, w: Writer) -> str:
    return f'<div class="comment"><b class="user">{html.escape(block.note)}</b>\n<p>{text}</p></div>'


def _post(block: Block, text: str, w: Writer) -> str:
    head = html.escape(w.say("replies", user=block.note))
    return (
        f'<div class="post" id="p{w.rng.randrange(10**6)}"><div class="meta">{head}</div>\n'
        f'<div class="postbody"><p>{text}</p></div>\n'
        '<div class="tools"><a href="#">+</a> <a href="#">&uarr;</a></div></div>'
    )


def _menu(w: Writer, items: int) -> str:
    return "".join(f'<li><a href="/{k}">{html.escape(w.say("menu"))}</a></li>' for k in range(items))


def _links(related: Related) -> str:
    return "".join(f'<li><a href="{html.escape(url)}">{html.escape(title)}</a></li>' for url, title in related)


def _related(related: Related, w: Writer) -> str:
    return f"<h3>{w.say('related.head')}</h3>\n<ul>{_links(related)}</ul>"


def _side(w: Writer) -> str:
    lines = "".join(f"<li>{html.escape(w.sentence('side.line'))}</li>" for _ in range(w.rng.randint(2, 5)))
    return f"<h3>{w.say('side.head')}</h3>\n<ul>{lines}</ul>"


def _footer(site: Site, w: Writer) -> str:
    return html.escape(w.sentence("footer", site=site.host))


def _cookies(w: Writer) -> str:
    return f'<div class="cookie-banner" role="dialog"><p>{html.escape(w.sentence("cookies"))}</p></div>'


def _classic(site: Site, draft: Draft, related: Related, w: Writer, form: str) -> str:
    return (
        f'<div id="header"><a href="/">{site.host}</a></div>\n<ul id="nav">{_menu(w, 6)}</ul>\n'
        f'<div id="content">\n<h1>{render_text(draft.title, form)}</h1>\n<p class="byline">{w.sentence("byline")}</p>\n'
        f"{content_html(draft.blocks, form, w, _comment)}\n</div>\n"
        f'<div id="sidebar">\n{_related(related, w)}\n{_side(w)}\n</div>\n'
        f'<div id="footer">{_footer(site, w)}</div>\n{_cookies(w)}'
    )


def _article(site: Site, draft: Draft, related: Related, w: Writer, form: str) -> str:
    return (
        f"{_cookies(w)}\n<header><a href='/'>{site.host}</a><nav><ul>{_menu(w, 5)}</ul></nav></header>\n"
        "<main>\n<article>\n"
        f"<h1>{render_text(draft.title, form)}</h1>\n<p class='meta'>{w.sentence('byline')}</p>\n"
        f"{content_html(draft.blocks, form, w, _comment)}\n</article>\n</main>\n"
        f"<aside>\n{_related(related, w)}\n</aside>\n<footer><p>{_footer(site, w)}</p></footer>"
    )


def _table(site: Site, draft: Draft, related: Related, w: Writer, form: str) -> str:
    menu = _menu(w, 7).replace("<li>", "").replace("</li>", "<br>")
    return (
        f'<table width="100%" border="0"><tr><td colspan="2" bgcolor="#ccd">{site.host}</td></tr>\n<tr valign="top">'
        f'<td width="140" class="menu">{menu}</td>\n<td class="main"><h1>{render_text(draft.title, form)}</h1>\n'
        f"{content_html(draft.blocks, form, w, _comment)}\n</td></tr>\n"
        f'<tr><td colspan="2"><ul class="more">{_links(related)}</ul>'
        f'<font size="1">{_footer(site, w)}</font></td></tr></table>'
    )


def _forum(site: Site, draft: Draft, related: Related, w: Writer, form: str) -> str:
    return (
        f'{_cookies(w)}\n<div class="topbar"><ul class="nav">{_menu(w, 6)}</ul></div>\n'
        f'<div class="breadcrumb"><a href="/">{site.host}</a> &raquo; {draft.kind}</div>\n'
        f'<div class="thread">\n<h1>{render_text(draft.title, form)}</h1>\n'
        f"{content_html(draft.blocks, form, w, _post)}\n</div>\n"
        f'<div class="related">{_related(related, w)}</div>\n<div class="online">{_side(w)}</div>\n'
        f'<div class="footer">{_footer(site, w)}</div>'
    )


def _wiki(site: Site, draft: Draft, related: Related, w: Writer, form: str) -> str:
    return (
        f'<div id="mw-page"><div id="siteNotice">{w.sentence("cookies")}</div>\n'
        f'<div id="content" class="mw-body" role="main"><h1 id="firstHeading">{render_text(draft.title, form)}</h1>\n'
        f'<div id="mw-content-text">{content_html(draft.blocks, form, w, _comment)}\n</div>\n'
        f'<div id="catlinks" class="catlinks">{_side(w)}</div></div>\n<div id="mw-panel"><ul>{_menu(w, 8)}</ul>'
        f'<div class="portal">{_related(related, w)}</div></div>\n<div id="footer">{_footer(site, w)}</div></div>'
    )


def _notes(site: Site, draft: Draft, related: Related, w: Writer, form: str) -> str:
    back, onward = (related[0], related[-1]) if related else (("/", "<"), ("/", ">"))
    buttons = "".join(
        f'<a class="button" href="{html.escape(url)}">{html.escape(title)}</a>' for url, title in (back, onward)
    )
    return (
        f'<nav class="toc"><ul>{_links(related)}</ul></nav>\n<section class="page">\n'
        f"<h1>{render_text(draft.title, form)}</h1>\n"
        f'{content_html(draft.blocks, form, w, _comment)}\n</section>\n<div class="pager">{buttons}</div>\n'
        f'<div class="colophon">{_footer(site, w)}</div>'
    )


LAYOUTS: dict[str, Callable[[Site, Draft, Related, Writer, str], str]] = {
    "classic": _classic,
    "article": _article,
    "table": _table,
    "forum": _forum,
    "wiki": _wiki,
    "notes": _notes,
}
