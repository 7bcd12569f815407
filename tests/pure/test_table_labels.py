"""Every cell of a table says the name of its column: on a phone the rows are cards without heads."""

from headwater.web.pages.table_labels import label_cells

HEADS = '<thead><tr><th scope="col">Name</th><th scope="col"><a class="sort" href="?sort=a&amp;b">Last <b>poll</b><span class="sort-mark" aria-hidden="true">↓</span></a></th><th><span class="hidden">Actions</span></th></tr></thead>'


def labelled(body: str) -> str:
    return label_cells(f"<p>x</p><table>{HEADS}<tbody>{body}</tbody></table><td>").partition("<tbody>")[2]


def test_cells_carry_the_words_of_their_heads_and_hidden_heads_name_nothing():
    row = labelled(
        '<tr data-item><th scope="row">Wire</th>\n<td class="number">1</td><td class="actions"></td></tr>'
    )
    assert '<th scope="row" data-label="Name">Wire</th>' in row
    assert '<td class="number" data-label="Last poll">1</td>' in row
    assert '<td class="actions"></td>' in row
    assert row.endswith("</table><td>")


def test_a_cell_over_several_columns_has_no_name_and_the_next_one_has_its_own():
    row = labelled(
        '<tr><td>a</td></tr><tr><td colspan="1">a</td><td>b</td></tr><tr><td colspan="2">none</td><td>c</td></tr>'
    )
    assert '<td colspan="1" data-label="Name">a</td><td data-label="Last poll">b</td>' in row
    assert '<td colspan="2">none</td><td>c</td>' in row


def test_tables_without_heads_and_pages_without_tables_stay_as_they_are():
    for page in ("<table><tr><td>a</td></tr></table>", "<p>&lt;table&gt;&lt;td&gt;</p>", ""):
        assert label_cells(page) == page
