"""The control words of RTF that matter for its text."""

# Control words that stand for a character.
CHARACTERS = {
    "tab": "\t",
    "line": "\n",
    "emdash": "—",
    "endash": "–",
    "bullet": "•",
    "lquote": "‘",
    "rquote": "’",
    "ldblquote": "“",
    "rdblquote": "”",
    "emspace": " ",
    "enspace": " ",
    "qmspace": " ",
    "~": " ",
    "_": "-",
}
# Groups whose content is not the document's own text.
IGNORED_GROUPS = frozenset(
    {
        "colortbl",
        "datafield",
        "datastore",
        "fldinst",
        "filetbl",
        "footer",
        "footerf",
        "footerl",
        "footerr",
        "generator",
        "header",
        "headerf",
        "headerl",
        "headerr",
        "latentstyles",
        "listoverridetable",
        "listtable",
        "nonshppict",
        "objdata",
        "pict",
        "pntext",
        "rsidtbl",
        "shpinst",
        "themedata",
        "xmlnstbl",
    }
)
# Groups that are collected under their name.
COLLECTED_GROUPS = frozenset(
    {
        "title",
        "author",
        "subject",
        "keywords",
        "doccomm",
        "creatim",
        "revtim",
        "fonttbl",
        "stylesheet",
        "listtext",
    }
)
# \fcharset numbers to Python's names for the code pages.
FONT_CHARSETS = {
    0: "cp1252",
    77: "mac-roman",
    128: "cp932",
    129: "cp949",
    134: "gb18030",
    136: "big5",
    161: "cp1253",
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
}
CODE_PAGES = {"mac": "mac-roman", "pc": "cp437", "pca": "cp850", "ansi": "cp1252"}
