"""Street addresses are read from sentences without what stands around them."""

import pytest

from headwater_recipes.procedures.fields.addresses import streets_in


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("drop by the desk at Carrer del Far 5, 07997 Cala Ferrana any weekday before two.", "Carrer del Far 5, 07997 Cala Ferrana"),
        ("A la deixalleria, camí de les Bòbiles, s/n, de dimarts a dissabte.", "camí de les Bòbiles, s/n"),
        ("La de la capital és a Moll de Llevant, 3, 07998 Port Menor.", "Moll de Llevant, 3, 07998 Port Menor"),
        ("Herritarren Arreta Zerbitzuan, Elizondo plaza 2, 20899 Urbieta, 8:30etik 13:30era.", "Herritarren Arreta Zerbitzuan, Elizondo plaza 2, 20899 Urbieta"),
        ("Kultur etxeko atezaintzan, Ibaibide 7, 31998 Harizpe.", "Ibaibide 7, 31998 Harizpe"),
        ("hurbildu Zubiondo kalea 7 helbideko leihatilara, goizez", "Zubiondo kalea 7"),
        ("Apúntese en el bar de la plaza o en la Mancomunidad, calle del Horno, 2.", "Mancomunidad, calle del Horno, 2"),
        ("Dirigida a la Comisaría, apartado de correos 412, 11899 Cádiz.", "Comisaría, apartado de correos 412, 11899 Cádiz"),
        ("Área de Juventud Calle del Rosario, 27, 2.ª planta 967 55 53 00", "Calle del Rosario, 27, 2.ª planta"),
        ("Registro de entrada (Plaza de la Iglesia, 2, 02997 Salobral).", "Plaza de la Iglesia, 2, 02997 Salobral"),
        ("Venga al Centro Social La Noria, calle Molino, 22, y firme allí.", "Centro Social La Noria, calle Molino, 22"),
        ("Al mostrador da Policía Local, rúa da Alameda, 17, baixo.", "mostrador da Policía Local, rúa da Alameda, 17, baixo"),
        ("zatoz Zelaieta kirolgunera, Iturbide kalea 44, goizeko zortzietatik.", "Zelaieta kirolgunera, Iturbide kalea 44"),
        ("Peñalver del Río: C/ Olmo, 27", "Peñalver del Río: C/ Olmo, 27"),
        ("At our desk, 12 Harbour Street, ground floor.", "12 Harbour Street, ground floor"),
        ("Puede hacerlo en calle Mayor, 3.", "calle Mayor, 3"),
        ("En la Oficina de Atención a la Ciudadanía, plaza Mayor, 1.", "Oficina de Atención a la Ciudadanía, plaza Mayor, 1"),
        ("Oficina Jove, carrer Nou, 12, 08999 Montcau. Telèfon 938 555 210.", "Oficina Jove, carrer Nou, 12, 08999 Montcau"),
    ],
)  # fmt: skip
def test_an_address_has_street_number_floor_postcode_town_and_the_name_of_the_place_right_before_it(
    text: str, address: str
):
    assert streets_in(text) == [address]


def test_several_addresses_of_a_sentence_are_all_read():
    text = "No teu distrito: Avenida do Castiñeiro, 80, Vilar de Boimente, ou Praza do Gando, 5, Outeirón."
    assert streets_in(text) == ["Avenida do Castiñeiro, 80, Vilar de Boimente", "Praza do Gando, 5, Outeirón"]


def test_a_box_without_a_town_and_a_street_without_a_number_are_no_addresses():
    assert streets_in("Escriba al apartado de Correos 1120.") == []
    assert streets_in("Pregunte en el camino de la escuela.") == []
