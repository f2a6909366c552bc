from corpus.extract import extract

PROSE = "Every bounded sequence of real numbers has a convergent subsequence, as we prove in this section. " * 3
LINKS = "".join(f'<li><a href="/{name}">{name} of the whole site</a></li>' for name in ("archive", "index", "list"))


def text_of(body: str) -> str:
    return extract(f"<html><head><title>x</title></head><body>{body}</body></html>").text


def test_navigation_sidebars_and_footers_go_and_the_article_stays():
    page = text_of(
        f'<nav>{LINKS}</nav><div class="sidebar">Read our letter, it is free.</div><article><p>{PROSE}</p></article>'
        f"<div>{LINKS}</div><footer>All rights reserved, of course.</footer>"
    )
    assert page == PROSE.strip()


def test_a_class_that_sounds_like_boilerplate_is_kept_when_it_holds_the_text():
    assert text_of(f'<div class="sidebar"><p>{PROSE}</p></div><p>Short.</p>').startswith(PROSE.strip())


def test_words_about_the_subject_of_a_post_are_no_boilerplate():
    post = f'<div class="post-12 post type-post hentry tag-ads category-social"><p>{PROSE}</p></div>'
    assert text_of(f"<div><div>{post}</div></div><p>{PROSE} Comments.</p><p>{PROSE} More.</p>").startswith(
        PROSE.strip()
    )


def test_a_lead_before_the_body_of_the_article_stays():
    lead = "The lead says in one sentence of good length what the article is about, before it begins."
    body = f'<div class="lead"><p>{lead}</p></div><div class="text"><p>{PROSE * 4}</p></div>'
    assert text_of(f"<main><article>{body}</article></main>").startswith(lead)


def test_links_between_two_paragraphs_stay_and_lists_of_links_go():
    page = text_of(f'<article><p>{PROSE}</p><p><a href="/x">The proof</a></p><p>{PROSE}</p><ul>{LINKS}</ul></article>')
    assert "The proof" in page
    assert "archive" not in page


def test_a_heading_without_a_section_goes():
    page = text_of(f"<article><h1>Title</h1><h2>Proof</h2><p>{PROSE}</p><h2>Related</h2><ul>{LINKS}</ul></article>")
    assert page.splitlines()[:2] == ["Title", "Proof"]
    assert "Related" not in page


def test_a_block_of_formulas_alone_is_main_content():
    page = text_of(f"<nav>{LINKS}</nav><article><p>{PROSE}</p><p>$$x^2$$</p><div>\\[y\\]</div></article>")
    assert page.endswith("$$x^2$$\n$$y$$")


def test_a_caption_goes_unless_it_holds_a_formula():
    captions = ("Photo by a friend.", "Plot of $f$")
    figures = "".join(f"<figure><figcaption>{caption}</figcaption></figure>" for caption in captions)
    page = text_of(f"<article><p>{PROSE}</p>{figures}<p>{PROSE}</p></article>")
    assert "friend" not in page
    assert "Plot of $f$" in page


def test_a_row_of_a_table_is_a_line_and_preformatted_text_keeps_its_lines():
    page = text_of(f"<article><p>{PROSE}</p><table><tr><td>n</td><td>1</td></tr></table><pre>a\n  b</pre></article>")
    assert page.endswith("n\t1\na\n  b")


def test_a_short_page_is_taken_whole_and_a_list_of_links_gives_nothing():
    assert text_of("<h4>Paragraph</h4><p>Let x be odd.</p>") == "Paragraph\nLet x be odd."
    assert text_of(f"<ul>{LINKS}</ul>") == ""


def test_a_solution_that_a_click_opens_stays():
    solution = "The difference of the hundreds is minus four, which we write down before we go on."
    body = f'<article><p>{PROSE * 3}</p></article><div class="hidden-content"><p>{solution}</p></div><p>{PROSE}</p>'
    assert solution in text_of(f"<section>{body}</section>")


def test_names_that_would_leave_nothing_of_a_page_with_prose_are_ignored():
    parts = "".join(
        f'<div class="field text-hidden label-hidden hidden"><p>{PROSE} {part}.</p></div>' for part in "abc"
    )
    assert text_of(f"<article>{parts}</article>").count(PROSE.strip()) == 3


def test_a_heading_is_no_boilerplate_for_the_words_of_its_title():
    page = text_of(f'<article><p>{PROSE}</p><h2 id="the-hidden-share">The hidden share</h2><p>{PROSE}</p></article>')
    assert "The hidden share" in page


def test_prose_in_the_tags_of_headings_is_text():
    assert text_of(f"<main><h4>{PROSE}</h4><h4>{PROSE}</h4></main>").count(PROSE.strip()) == 2
