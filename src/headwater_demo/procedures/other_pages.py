"""Pages of the portals that do not describe a procedure, though their addresses or words may suggest it."""

from collections.abc import Mapping

from headwater_demo.procedures.content import PORTALS, DemoPortal
from headwater_demo.procedures.portal_templates import frame

_VALDEMORA, _INSTITUTO, _SIERRALBA, _VALLMAR = PORTALS[:4]
_NEWS = (
    "<main><article><h1>El Ayuntamiento abre el plazo de las ayudas al transporte</h1><p>La alcaldesa ha presentado esta mañana la nueva edición del bono joven, "
    "que este año llega a dos mil personas. Los interesados podrán solicitar el descuento desde septiembre, y los requisitos no cambian respecto al año pasado.</p>"
    "<p>El concejal de Movilidad recordó que la documentación es sencilla y que el servicio se ha ampliado a los barrios del norte. La oposición criticó el retraso.</p></article></main>"
)
_LIST = (
    "<main><h1>Catálogo de trámites</h1><p>Busque su trámite por materia o consulte los más solicitados durante el último mes en nuestra sede electrónica.</p><ul>"
    + "".join(
        f'<li><a href="/tramites/{name}">{name}</a></li>'
        for name in ("padron", "licencias", "tributos", "ayudas", "cultura", "deportes")
    )
    + "</ul><p>Si no encuentra lo que busca, puede llamar al teléfono de información municipal en horario de mañana.</p></main>"
)
_EVENT = (
    "<main><h1>Feria del libro de Valdemora</h1><p>Treinta casetas de librerías y editoriales de la comarca, con firmas de autores y cuentacuentos para toda la familia en la plaza mayor.</p>"
    "<h2>Fechas</h2><p>Del 3 al 12 de junio.</p><h2>Precio</h2><p>Entrada libre.</p><h2>Lugar</h2><p>Plaza del Ayuntamiento.</p></main>"
)
_CONTACT = (
    "<main><h1>Contacto</h1><h2>Dirección</h2><p>Plaza del Ayuntamiento, 1, 28999 Valdemora</p><h2>Teléfono</h2><p>910 555 000</p><h2>Horario</h2>"
    "<p>De lunes a viernes de nueve a dos. En julio y agosto la oficina cierra a la una y no abre los sábados. Puede escribirnos también por correo electrónico.</p></main>"
)
_ABOUT = (
    "<main><h1>El Instituto</h1><p>El Instituto Nacional de Muestras es un organismo autónomo que estudia los oficios y las profesiones del país desde hace cuarenta años.</p>"
    "<h2>Objetivos</h2><p>Promover el conocimiento de los oficios y mejorar su reconocimiento social mediante estudios y estadísticas.</p><h2>Normativa</h2><p>Estatuto del Instituto.</p>"
    "<h2>Organigrama</h2><p>Dirección, Secretaría General y tres subdirecciones que se reparten las materias.</p></main>"
)
_PRIVACY = (
    "<main><h1>Protección de datos</h1><table><tr><th>Responsable</th><td>Consejería de Bienestar</td></tr><tr><th>Finalidad</th><td>Gestionar los servicios</td></tr>"
    "<tr><th>Destinatarios</th><td>No se ceden datos</td></tr><tr><th>Plazo de conservación</th><td>El que fije la ley</td></tr></table><p>Puede ejercer sus derechos de acceso, "
    "rectificación y supresión ante el delegado de protección de datos con una solicitud y copia de su documento de identidad, sin plazo alguno.</p></main>"
)
_CATALAN = (
    "<main><h1>Novetats de la seu electrònica</h1><p>Des d'avui la seu electrònica de Vallmar té un nou cercador que ajuda a trobar els tràmits pel seu nom o pel tema. "
    "També s'ha renovat l'apartat de notificacions i s'han corregit errors que impedien signar des del mòbil.</p><p>L'Ajuntament agraeix els suggeriments de la ciutadania.</p></main>"
)


def other_pages() -> Mapping[tuple[str, str], str]:
    """Host and path to markup."""

    def at(portal: DemoPortal, path: str, title: str, main: str) -> tuple[tuple[str, str], str]:
        return (portal.host, path), frame(portal, title, main)

    return dict(
        (
            at(_VALDEMORA, "/tramites/noticia-bono", "Noticias", _NEWS),
            at(_VALDEMORA, "/tramites/", "Trámites", _LIST),
            at(_VALDEMORA, "/tramites/feria-del-libro", "Feria", _EVENT),
            at(_VALDEMORA, "/tramites/contacto", "Contacto", _CONTACT),
            at(_INSTITUTO, "/procedimientos/el-instituto", "El Instituto", _ABOUT),
            at(_SIERRALBA, "/servicios/proteccion-de-datos", "Protección de datos", _PRIVACY),
            at(_VALLMAR, "/tramits/novetats", "Novetats", _CATALAN),
        )
    )
