"""Characters of mathematics and their LaTeX commands; letters of the mathematical alphabets and their fonts.

Each line of SYMBOLS is a list of pairs `character name`; the command is `\\name`.
"""

import unicodedata

FUNCTIONS_WORDS = (
    "sin cos tan cot sec csc sinh cosh tanh coth arcsin arccos arctan log ln lg exp lim limsup liminf max min sup "
    "inf det dim ker gcd arg deg hom Pr"
)
FUNCTIONS = frozenset(FUNCTIONS_WORDS.split())
# Functions of two words, as MathML writes them.
SPACED_FUNCTIONS = {"lim sup": "\\limsup", "lim inf": "\\liminf", "inj lim": "\\injlim", "proj lim": "\\projlim"}

SYMBOLS = """
α alpha β beta γ gamma δ delta ϵ epsilon ε varepsilon ζ zeta
η eta θ theta ϑ vartheta ι iota κ kappa ϰ varkappa λ lambda
μ mu µ mu ν nu ξ xi π pi ϖ varpi ρ rho ϱ varrho σ sigma ς varsigma τ tau υ upsilon φ varphi ϕ phi χ chi ψ psi ω omega
ϝ digamma ο omicron Γ Gamma Δ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma Υ Upsilon ϒ Upsilon Φ Phi Ψ Psi Ω Omega
ℓ ell ℏ hbar ħ hbar ℘ wp ℜ Re ℑ Im ℵ aleph ℶ beth ℷ gimel ℸ daleth ı imath 𝚤 imath ȷ jmath 𝚥 jmath ð eth ∂ partial
∇ nabla ∞ infty ∅ emptyset ∀ forall ∃ exists ∄ nexists ¬ neg ∁ complement ℧ mho Ⅎ Finv ⅁ Game Ⓢ circledS § S ¶ P
£ pounds ¥ yen ® circledR ✓ checkmark ✠ maltese © copyright † dagger ‡ ddagger • bullet ∙ bullet ⋆ star ★ bigstar
◊ Diamond ◇ Diamond ⧫ blacklozenge ♢ diamondsuit ♡ heartsuit ♣ clubsuit ♠ spadesuit ♭ flat ♮ natural ♯ sharp
□ square ◻ square ■ blacksquare ▪ blacksquare △ triangle ▽ bigtriangledown ▲ blacktriangle ▼ blacktriangledown
▵ triangle ▿ triangledown ▹ triangleright ◃ triangleleft ▷ triangleright ◁ triangleleft ▶ blacktriangleright
◀ blacktriangleleft ◯ bigcirc ⊙ odot ∠ angle ∡ measuredangle ∢ sphericalangle ⊤ top ⊥ bot ⟂ perp √ surd
± pm ∓ mp × times ÷ div ⋅ cdot · cdot ∘ circ ∗ ast ∩ cap ∪ cup ⊓ sqcap ⊔ sqcup ∨ vee ∧ wedge ⊕ oplus ⊖ ominus
⊗ otimes ⊘ oslash ∖ setminus ⧵ setminus ≀ wr ⨿ amalg
⊎ uplus ∔ dotplus ⋇ divideontimes ⋉ ltimes ⋊ rtimes ⋋ leftthreetimes
⋌ rightthreetimes ⋏ curlywedge ⋎ curlyvee ⊝ circleddash ⊛ circledast ⊚ circledcirc ⊞ boxplus ⊟ boxminus ⊠ boxtimes
⊡ boxdot ⊺ intercal ⊻ veebar ⊼ barwedge ⩞ doublebarwedge ⋒ Cap ⋓ Cup ⋄ diamond
≤ le ≥ ge ≠ ne < lt > gt ≈ approx ≡ equiv ∼ sim ≃ simeq
≅ cong ∝ propto ≍ asymp ≐ doteq ≑ doteqdot ≪ ll ≫ gg ⋘ lll ⋙ ggg
⩽ leqslant ⩾ geqslant ≦ leqq ≧ geqq ⪇ lneq ⪈ gneq ≨ lneqq ≩ gneqq ≰ nleq ≱ ngeq ≮ nless ≯ ngtr ≲ lesssim ≳ gtrsim
⪅ lessapprox ⪆ gtrapprox ⋦ lnsim ⋧ gnsim ⪉ lnapprox ⪊ gnapprox ≶ lessgtr ≷ gtrless ⋚ lesseqgtr ⋛ gtreqless
⪋ lesseqqgtr ⪌ gtreqqless ⋖ lessdot ⋗ gtrdot ⪕ eqslantless ⪖ eqslantgtr
≺ prec ≻ succ ⪯ preceq ⪰ succeq ≼ preccurlyeq
≽ succcurlyeq ⋞ curlyeqprec ⋟ curlyeqsucc ≾ precsim ≿ succsim ⪷ precapprox
⪸ succapprox ⊀ nprec ⊁ nsucc ⪵ precneqq ⪶ succneqq
⋨ precnsim ⋩ succnsim ⪹ precnapprox ⪺ succnapprox ⋠ npreceq ⋡ nsucceq
∈ in ∉ notin ∋ ni ⊂ subset ⊃ supset ⊆ subseteq ⊇ supseteq ⊈ nsubseteq ⊉ nsupseteq ⊊ subsetneq ⊋ supsetneq
⫅ subseteqq ⫆ supseteqq ⫋ subsetneqq ⫌ supsetneqq ⋐ Subset ⋑ Supset ⊏ sqsubset ⊐ sqsupset ⊑ sqsubseteq ⊒ sqsupseteq
∣ mid ∤ nmid ∥ parallel ∦ nparallel ≁ nsim ≇ ncong
≉ napprox ≢ nequiv ∽ backsim ⋍ backsimeq ≊ approxeq ≖ eqcirc ≗ circeq
≜ triangleq ≏ bumpeq ≎ Bumpeq ≒ fallingdotseq ≓ risingdotseq ⋈ bowtie ⨝ Join ⌣ smile ⌢ frown ∴ therefore ∵ because
≬ between ⋔ pitchfork ∍ backepsilon ϶ backepsilon ⊢ vdash ⊣ dashv
⊨ vDash ⊧ models ⊩ Vdash ⊪ Vvdash ⊫ VDash ⊬ nvdash ⊭ nvDash
⊮ nVdash ⊯ nVDash ⊲ vartriangleleft ⊳ vartriangleright ⊴ trianglelefteq ⊵ trianglerighteq ⋪ ntriangleleft
⋫ ntriangleright ⋬ ntrianglelefteq ⋭ ntrianglerighteq ≔ coloneqq ≕ eqqcolon ⩴ Coloneqq ∷ dblcolon
→ to ← leftarrow ↔ leftrightarrow ⇒ Rightarrow ⇐ Leftarrow
⇔ Leftrightarrow ↑ uparrow ↓ downarrow ↕ updownarrow ⇑ Uparrow
⇓ Downarrow ⇕ Updownarrow ↦ mapsto ⟼ longmapsto ⟶ longrightarrow ⟵ longleftarrow ⟷ longleftrightarrow ⟹ Longrightarrow
⟸ Longleftarrow ⟺ Longleftrightarrow ↗ nearrow ↘ searrow ↙ swarrow ↖ nwarrow ↪ hookrightarrow ↩ hookleftarrow
⇀ rightharpoonup ⇁ rightharpoondown ↼ leftharpoonup ↽ leftharpoondown ⇌ rightleftharpoons ⇋ leftrightharpoons
↿ upharpoonleft ↾ upharpoonright ⇃ downharpoonleft ⇂ downharpoonright ⇝ rightsquigarrow ↭ leftrightsquigarrow
↠ twoheadrightarrow ↞ twoheadleftarrow ↣ rightarrowtail ↢ leftarrowtail ↬ looparrowright ↫ looparrowleft
↻ circlearrowright ↺ circlearrowleft ↷ curvearrowright ↶ curvearrowleft ↰ Lsh ↱ Rsh ⇈ upuparrows ⇊ downdownarrows
⇉ rightrightarrows ⇇ leftleftarrows ⇄ rightleftarrows ⇆ leftrightarrows ⇛ Rrightarrow ⇚ Lleftarrow ⇢ dashrightarrow
⇠ dashleftarrow ⊸ multimap ↛ nrightarrow ↚ nleftarrow ↮ nleftrightarrow ⇏ nRightarrow ⇍ nLeftarrow ⇎ nLeftrightarrow
∑ sum ∏ prod ∐ coprod ∫ int ∬ iint ∭ iiint ⨌ iiiint ∮ oint ∯ oiint ∰ oiiint ⋃ bigcup ⋂ bigcap ⨆ bigsqcup ⨅ bigsqcap
⋁ bigvee ⋀ bigwedge ⨁ bigoplus ⨂ bigotimes ⨀ bigodot ⨄ biguplus
… dots ⋯ cdots ⋮ vdots ⋱ ddots ⟨ langle ⟩ rangle 〈 langle 〉 rangle ⌊ lfloor ⌋ rfloor ⌈ lceil ⌉ rceil
‖ Vert ⟦ llbracket ⟧ rrbracket ⟮ lgroup ⟯ rgroup ⎰ lmoustache ⎱ rmoustache ⌜ ulcorner ⌝ urcorner ⌞ llcorner ⌟ lrcorner
‵ backprime ╱ diagup ╲ diagdown ℓ ell ⅋ parr
"""
PAIRS = SYMBOLS.split()

LATEX: dict[str, str] = {
    **{character: f"\\{name}" for character, name in zip(PAIRS[::2], PAIRS[1::2], strict=True)},
    **{"<": "<", ">": ">", "−": "-", "∕": "/", "⁄": "/", "∗": "*", "′": "'", "″": "''", "‴": "'''", "⁗": "''''"},
    **{"\\": "\\backslash", "{": "\\{", "}": "\\}", "%": "\\%", "&": "\\&", "#": "\\#", "$": "\\$", "_": "\\_"},
    **{"°": "^{\\circ}", "∶": ":", "~": "\\sim", "ˆ": "\\hat{}", "Å": "\\mathring{A}"},
    # Invisible operators: function application, times, separator, plus; variation selectors; the no-break space.
    **dict.fromkeys("\u2061\u2062\u2063\u2064\u200b\u200c\u200d\ufe00\ufe01", ""),
    "\u00a0": "\\ ",
}

ACCENTS: dict[str, str] = {
    **{"^": "\\hat", "ˆ": "\\hat", "̂": "\\hat", "~": "\\tilde", "˜": "\\tilde", "∼": "\\tilde", "̃": "\\tilde"},
    **{
        "¯": "\\bar",
        "ˉ": "\\bar",
        "̄": "\\bar",
        "‾": "\\overline",
        "―": "\\overline",
        "_": "\\overline",
        "̲": "\\overline",
        "̅": "\\overline",
    },
    **{"˙": "\\dot", "̇": "\\dot", ".": "\\dot", "¨": "\\ddot", "̈": "\\ddot", "⃛": "\\dddot", "⃜": "\\ddddot"},
    **{"→": "\\vec", "⃗": "\\vec", "⇀": "\\vec", "←": "\\overleftarrow", "↔": "\\overleftrightarrow"},
    **{"˘": "\\breve", "̆": "\\breve", "ˇ": "\\check", "̌": "\\check", "´": "\\acute", "`": "\\grave", "˚": "\\mathring"},
    **{"⏞": "\\overbrace", "︷": "\\overbrace", "⏠": "\\overparen", "⎴": "\\overbracket"},
}
WIDE_ACCENTS = {"\\hat": "\\widehat", "\\tilde": "\\widetilde", "\\bar": "\\overline", "\\vec": "\\overrightarrow"}
UNDER_ACCENTS: dict[str, str] = {
    **{"⏟": "\\underbrace", "︸": "\\underbrace", "_": "\\underline", "̲": "\\underline", "―": "\\underline"},
    **{"‾": "\\underline", "¯": "\\underline", "→": "\\underrightarrow", "←": "\\underleftarrow"},
    **{"↔": "\\underleftrightarrow", "⏡": "\\undergroup", "⎵": "\\underbracket"},
}
# What stands over or under an arrow that grows with it.
ARROWS = {
    **{"→": "\\xrightarrow", "←": "\\xleftarrow", "↔": "\\xleftrightarrow", "⇒": "\\xRightarrow", "⇐": "\\xLeftarrow"},
    **{"⇔": "\\xLeftrightarrow", "↦": "\\xmapsto", "↪": "\\xhookrightarrow", "↩": "\\xhookleftarrow"},
    **{"⇀": "\\xrightharpoonup", "⇁": "\\xrightharpoondown", "↼": "\\xleftharpoonup", "↽": "\\xleftharpoondown"},
    **{
        "⇌": "\\xrightleftharpoons",
        "⇋": "\\xleftrightharpoons",
        "↠": "\\xtwoheadrightarrow",
        "↞": "\\xtwoheadleftarrow",
    },
    **{"⟶": "\\xrightarrow", "⟵": "\\xleftarrow", "=": "\\xlongequal"},
}
FONT_NAMES = (
    ("BOLD SCRIPT", "\\boldsymbol"),
    ("BOLD FRAKTUR", "\\mathfrak"),
    ("SANS-SERIF BOLD ITALIC", "\\boldsymbol"),
    ("SANS-SERIF BOLD", "\\mathbf"),
    ("BOLD ITALIC", "\\boldsymbol"),
    ("SANS-SERIF ITALIC", "\\mathsf"),
    ("SANS-SERIF", "\\mathsf"),
    ("DOUBLE-STRUCK", "\\mathbb"),
    ("MONOSPACE", "\\mathtt"),
    ("FRAKTUR", "\\mathfrak"),
    ("BLACK-LETTER", "\\mathfrak"),
    ("SCRIPT", "\\mathcal"),
    ("BOLD", "\\mathbf"),
    ("ITALIC", "\\mathit"),
)
VARIANTS = {
    "bold": "\\mathbf",
    "bold-italic": "\\boldsymbol",
    "double-struck": "\\mathbb",
    "fraktur": "\\mathfrak",
    "bold-fraktur": "\\mathfrak",
    "script": "\\mathcal",
    "bold-script": "\\mathcal",
    "sans-serif": "\\mathsf",
    "bold-sans-serif": "\\mathbf",
    "sans-serif-italic": "\\mathsf",
    "monospace": "\\mathtt",
    "normal": "\\mathrm",
    "-tex-calligraphic": "\\mathcal",
    "-tex-mathit": "\\mathit",
}
# Letter-like symbols that are letters of an alphabet of mathematics, beside those of the block U+1D400.
LETTERLIKE = frozenset("ℂℍℕℙℚℝℤℬℰℱℋℐℒℳℛℯℊℴℭℌℨℎ")


def letter_and_font(character: str) -> tuple[str, str]:
    """(plain letter, font command) of a letter of a mathematical alphabet; the character itself and '' for others."""
    if character in LETTERLIKE or 0x1D400 <= ord(character) <= 0x1D7FF:
        if character in LATEX:
            return character, ""
        name = unicodedata.name(character, "")
        code = unicodedata.decomposition(character).rpartition(" ")[2]
        plain = chr(int(code, 16)) if code else character
        for words, command in FONT_NAMES:
            if words in name:
                return plain, command
        return plain, "\\mathit" if character == "ℎ" else ""
    return character, ""
