"""Street addresses are read from sentences without what stands around them."""

import pytest

from headwater_recipes.procedures.fields.addresses import streets_in


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("drop by the desk at Carrer del Far 5, 07997 Cala Ferrana any weekday before two.", "Carrer del Far 5, 07997 Cala Ferrana"),
        ("A la deixalleria, camí de les Bòbiles, s/n, de dimarts a dissabte.", "camí de les Bòbiles, s/n"),
        ("La de la capital és a Moll de Llevant, 3, 07998 Port Menor.", "Moll de Llevant, 3, 07998 Port Menor"),
        ("Herritarren Arreta Zerbitzuan, Elizondo plaza 2, 20899 Urbieta, 8:30etik 13:30era.", "Elizondo plaza 2, 20899 Urbieta"),
        ("Kultur etxeko atezaintzan, Ibaibide 7, 31998 Harizpe.", "Ibaibide 7, 31998 Harizpe"),
        ("hurbildu Zubiondo kalea 7 helbideko leihatilara, goizez", "Zubiondo kalea 7"),
        ("Apúntese en el bar de la plaza o en la Mancomunidad, calle del Horno, 2.", "calle del Horno, 2"),
        ("Dirigida a la Comisaría, apartado de correos 412, 11899 Cádiz.", "apartado de correos 412, 11899 Cádiz"),
        ("Área de Juventud Calle del Rosario, 27, 2.ª planta 967 55 53 00", "Calle del Rosario, 27, 2.ª planta"),
        ("Registro de entrada (Plaza de la Iglesia, 2, 02997 Salobral).", "Plaza de la Iglesia, 2, 02997 Salobral"),
        ("Oficina Jove, carrer Nou, 12, 08999 Montcau. Telèfon 938 555 210.", "Oficina Jove, carrer Nou, 12, 08999 Montcau"),
    ],
)  # fmt: skip
def test_an_address_has_street_number_floor_postcode_and_town_and_the_name_only_where_it_stands_alone(
    text: str, address: str
):
    assert streets_in(text) == [address]


def test_a_way_to_apply_names_the_office_and_the_address_does_not():
    text = "Oficina de Atención Ciudadana, rambla del Lagar, 77, 12998 Puerto Lagar"
    assert streets_in(text) == [text]
    assert streets_in(text, bare=True) == ["rambla del Lagar, 77, 12998 Puerto Lagar"]


def test_a_box_without_a_town_and_a_street_without_a_number_are_no_addresses():
    assert streets_in("Escriba al apartado de Correos 1120.") == []
    assert streets_in("Pregunte en el camino de la escuela.") == []
