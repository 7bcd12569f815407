"""An old-fashioned page: nested tables, font tags and line breaks for paragraphs."""

from headwater_demo.article_templates.page import TemplatePage, attribute, text


def tables(page: TemplatePage) -> str:
    article, publisher = page.article, page.publisher
    menu = "<br>\n".join(
        f'<a href="{attribute(item.path)}"><font size="1">{text(item.title)}</font></a>'
        for item in page.related
    )
    body = "<br><br>\n".join(text(item) for item in article.paragraphs)
    return f"""<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">
<HTML><HEAD><TITLE>{text(publisher.name)}: {text(article.title)}</TITLE>
<META NAME="keywords" CONTENT="{attribute(", ".join(article.keywords))}">
<META NAME="description" CONTENT="{attribute(article.description)}">
{page.feed_links}</HEAD>
<BODY BGCOLOR="#FFFFFF" TEXT="#000000">
<TABLE WIDTH="100%" BORDER="0" CELLPADDING="4"><TR><TD COLSPAN="3" BGCOLOR="#003366"><FONT COLOR="#FFFFFF" SIZE="5">{text(publisher.name)}</FONT> <FONT COLOR="#CCCCCC">{text(publisher.tagline)}</FONT></TD></TR>
<TR VALIGN="top"><TD WIDTH="160" BGCOLOR="#EEEEEE"><B>Headlines</B><BR>{menu}</TD>
<TD><FONT SIZE="4"><B>{text(article.title)}</B></FONT><BR>
<I>Posted by {text(article.author)} on {article.published:%m/%d/%Y} at {article.published:%H:%M}</I><BR><BR>
<IMG SRC="{attribute(article.image)}" ALIGN="right" HSPACE="8" ALT="">
<FONT FACE="Times">{body}</FONT><BR><BR>
[ <A HREF="/print{attribute(article.path)}">Printer version</A> | <A HREF="/">Back to headlines</A> ]</TD>
<TD WIDTH="120" BGCOLOR="#EEEEEE"><B>Poll</B><BR>Will fees fall this month?<BR>Yes 41 %<BR>No 59 %</TD></TR>
<TR><TD COLSPAN="3" ALIGN="center"><FONT SIZE="1">All trademarks belong to their owners. The rest is {text(publisher.name)}.</FONT></TD></TR></TABLE>
</BODY></HTML>
"""
