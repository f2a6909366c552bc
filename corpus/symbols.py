"""Characters of MathML and their LaTeX commands."""

FUNCTIONS_WORDS = (
    "sin cos tan cot sec csc sinh cosh tanh arcsin arccos arctan log ln lg exp lim limsup liminf max min sup "
    "inf det dim ker gcd arg deg hom Pr"
)
FUNCTIONS = frozenset(FUNCTIONS_WORDS.split())

_GREEK_WORDS = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho varsigma sigma "
    "tau upsilon varphi chi psi omega"
)
_GREEK = _GREEK_WORDS.split()
_CAPITAL_WORDS = "Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
_CAPITALS = [f"\\{name}" for name in _CAPITAL_WORDS.split()]

LATEX: dict[str, str] = {
    **{chr(0x3B1 + position): f"\\{name}" for position, name in enumerate(_GREEK) if name != "omicron"},
    **dict(zip("ΓΔΘΛΞΠΣΥΦΨΩ", _CAPITALS, strict=True)),
    **{
        "ϕ": "\\phi",
        "ϵ": "\\epsilon",
        "ϑ": "\\vartheta",
        "ℓ": "\\ell",
        "ℏ": "\\hbar",
        "∂": "\\partial",
        "∇": "\\nabla",
    },
    **{
        "≤": "\\le",
        "≥": "\\ge",
        "≠": "\\ne",
        "≈": "\\approx",
        "≡": "\\equiv",
        "∼": "\\sim",
        "≅": "\\cong",
        "∝": "\\propto",
    },
    **{"≪": "\\ll", "≫": "\\gg", "⩽": "\\leqslant", "⩾": "\\geqslant", "≺": "\\prec", "≻": "\\succ"},
    **{"×": "\\times", "÷": "\\div", "±": "\\pm", "∓": "\\mp", "·": "\\cdot", "⋅": "\\cdot", "∘": "\\circ", "∗": "*"},
    **{"⊕": "\\oplus", "⊗": "\\otimes", "∧": "\\wedge", "∨": "\\vee", "¬": "\\neg", "−": "-", "∖": "\\setminus"},
    **{"∑": "\\sum", "∏": "\\prod", "∐": "\\coprod", "∫": "\\int", "∬": "\\iint", "∭": "\\iiint", "∮": "\\oint"},
    **{"⋃": "\\bigcup", "⋂": "\\bigcap", "∪": "\\cup", "∩": "\\cap", "∈": "\\in", "∉": "\\notin", "∋": "\\ni"},
    **{"⊂": "\\subset", "⊃": "\\supset", "⊆": "\\subseteq", "⊇": "\\supseteq", "∅": "\\emptyset"},
    **{"∀": "\\forall", "∃": "\\exists", "∞": "\\infty", "√": "\\surd", "∠": "\\angle", "△": "\\triangle"},
    **{"⊥": "\\perp", "∥": "\\parallel", "∣": "\\mid", "‖": "\\|", "†": "\\dagger", "⊢": "\\vdash", "⊨": "\\models"},
    **{"→": "\\to", "←": "\\leftarrow", "↔": "\\leftrightarrow", "⇒": "\\Rightarrow", "⇐": "\\Leftarrow"},
    **{
        "⇔": "\\Leftrightarrow",
        "↦": "\\mapsto",
        "⟶": "\\longrightarrow",
        "⟹": "\\implies",
        "↑": "\\uparrow",
        "↓": "\\downarrow",
    },
    **{"…": "\\dots", "⋯": "\\cdots", "⋮": "\\vdots", "⋱": "\\ddots", "′": "'", "″": "''", "°": "^{\\circ}"},
    **{"⟨": "\\langle", "⟩": "\\rangle", "⌊": "\\lfloor", "⌋": "\\rfloor", "⌈": "\\lceil", "⌉": "\\rceil"},
    **{
        "ℝ": "\\mathbb{R}",
        "ℕ": "\\mathbb{N}",
        "ℤ": "\\mathbb{Z}",
        "ℚ": "\\mathbb{Q}",
        "ℂ": "\\mathbb{C}",
        "ℙ": "\\mathbb{P}",
    },
    **{"{": "\\{", "}": "\\}", "%": "\\%", "&": "\\&", "#": "\\#", "$": "\\$"},
    # Invisible operators: function application, times, separator, plus; and the no-break space.
    **{"\u2061": "", "\u2062": "", "\u2063": "", "\u2064": "", "\u00a0": " "},
}

ACCENTS: dict[str, str] = {
    **{"^": "\\hat", "ˆ": "\\hat", "~": "\\tilde", "˜": "\\tilde", "\\sim": "\\tilde"},
    **{"¯": "\\overline", "‾": "\\overline", "―": "\\overline", "_": "\\overline"},
    **{"˙": "\\dot", "¨": "\\ddot", "\\to": "\\vec", "⃗": "\\vec", "⏞": "\\overbrace", "˘": "\\breve", "ˇ": "\\check"},
}
