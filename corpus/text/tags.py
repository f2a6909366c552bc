"""What each tag of HTML means for the text of a page: a block, code, something to skip, a formula."""

import re
from typing import NamedTuple

from corpus.text.constructs import FORMULA_TAGS, is_formula_container
from corpus.text.markup import VOID, attribute_of

SKIPPED_WORDS = (
    "script style noscript template svg iframe object canvas video audio select button input textarea nav dialog "
    "map applet embed option datalist progress meter head title rp rt footer menu noembed"
)
SKIPPED = frozenset(SKIPPED_WORDS.split())
BLOCKS_WORDS = (
    "address article aside blockquote body caption center dd details dir div dl dt fieldset figcaption figure form "
    "h1 h2 h3 h4 h5 h6 header hgroup hr legend li main ol optgroup p pre section summary table tbody td tfoot th "
    "thead tr ul frameset noframes html"
)
BLOCKS = frozenset(BLOCKS_WORDS.split())
CODES = frozenset({"code", "kbd", "samp", "tt"})
SCRIPTS = frozenset({"sub", "sup"})
NEVER_HIDDEN = frozenset({"html", "body", "main", "article"})
# Elements that are no formula, whatever their class says.
NEVER_FORMULA = BLOCKS - {"div", "p"} | SKIPPED - {"script"} | SCRIPTS | VOID | {"a"}
HIDING_STYLE = re.compile(r"(?i)display\s*:\s*none")
# Words of a class or an id that mark boilerplate, whole ones and the beginnings of others.
BOILERPLATE_WORDS = (
    "nav navbar menu menus submenu footer foot side aside widget widgets crumb crumbs breadcrumb breadcrumbs sharing "
    "banner ad ads adsense cookie cookies popup modal newsletter signup login toolbar pagination pager paging tagcloud "
    "taglist tags entrymeta entryfooter postfooter byline author authors bio copyright disclaimer masthead hidden "
    "printfriendly outbrain taboola rating ratings toc respond credit credits license licence more timestamp date "
    "avatar signature userinfo profile permalink annotation button buttons btn"
)
BOILERPLATE = frozenset(BOILERPLATE_WORDS.split())
BEGINNINGS_WORDS = (
    "navi sidebar share social related recommend promo advert sponsor subscri search meta postmeta skip paywall caption"
)
BEGINNINGS = tuple(BEGINNINGS_WORDS.split())
TWO_WORDS = ("teaser-list", "user-info")
# PreTeXt keeps examples, proofs and solutions in it until they are clicked.
KEPT = "hidden-content"
# An id of several words on a heading is the heading itself.
SLUG_HYPHENS = 2
WORDS = str.maketrans("_-", "  ")
# What blog software writes on the element that holds a whole post, beside words such as `tag-ads` about its subject.
POST = re.compile(r"(?:^|\s)(?:hentry|post-\d+|type-\w+|status-publish)(?:$|\s)")
HEADINGS = {f"h{rank}": rank for rank in range(1, 7)}
CONTENT_TAGS = frozenset({"html", "body", "article", "main"})
BOILERPLATE_TAGS = frozenset({"aside", "footer", "figcaption"})


class Tag(NamedTuple):
    """A start tag. `boilerplate`: names mark it so; `hidden`: not shown; `formula`: it may hold one."""

    name: str
    markup: str
    boilerplate: bool
    hidden: bool
    formula: bool


def tag_of(markup: str) -> Tag:
    """The start tag in which `markup` is what stands between `<` and `>`."""
    name = markup.partition(" ")[0]
    if name in SKIPPED and name != "script":
        return Tag(name, markup, boilerplate=False, hidden=False, formula=False)
    boilerplate = name in BLOCKS and _is_boilerplate(name, markup)
    formula = name in FORMULA_TAGS or (
        name not in NEVER_FORMULA and is_formula_container(name, lambda attribute: attribute_of(markup, attribute))
    )
    return Tag(name, markup, boilerplate, name not in NEVER_HIDDEN and _hides(markup), formula)


def _is_boilerplate(name: str, markup: str) -> bool:
    """Whether the tag or the words of class and id mark an element as boilerplate."""
    if name in BOILERPLATE_TAGS:
        return True
    if name in CONTENT_TAGS:
        return False
    id_ = attribute_of(markup, "id")
    if name in HEADINGS and id_.count("-") >= SLUG_HYPHENS:
        id_ = ""
    names = f"{attribute_of(markup, 'class')} {id_}"
    words = names.lower().replace(KEPT, "").translate(WORDS).split()
    marked = not BOILERPLATE.isdisjoint(words) or any(word.startswith(BEGINNINGS) for word in words)
    return (marked or any(two in names for two in TWO_WORDS)) and not POST.search(names)


def _hides(markup: str) -> bool:
    styled = ' style="' in markup and HIDING_STYLE.search(attribute_of(markup, "style")) is not None
    return styled or ' hidden="' in markup
