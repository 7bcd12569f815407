"""Artículos escritos en español."""

from headwater_demo.prose.handwritten.short_form import handwritten

SPANISH = (
    handwritten(
        "regulation",
        "El supervisor pide a las plataformas que expliquen sus comisiones en una sola página",
        "Lucía Ferrer",
        "comisiones, supervisión, consumidores",
        """
        Las plataformas de activos digitales tendrán que resumir todas sus comisiones en una sola página antes de aceptar el primer euro de un cliente, según el proyecto que la Autoridad de Activos Digitales presentó el jueves.
        La página deberá mostrar cuánto cuesta comprar, guardar y retirar mil euros, con las cifras del último trimestre y no con las más favorables. El supervisor comprobó durante el verano treinta y dos plataformas y encontró que solo cinco lo hacían de un modo comprensible.
        En la mayoría de los casos el coste no estaba en la comisión anunciada, sino en la diferencia entre el precio de compra y el de venta. En una de ellas llegaba al cuatro por ciento, veinte veces más que la comisión que aparecía en la portada.
        «No queremos fijar precios, queremos que se puedan leer», explicó Mireia Castellan, directora de conducta, en una rueda de prensa en Valencia.
        Las empresas consideran corto el plazo de noventa días. Piedralta Custodia, que atiende a unos cuarenta mil clientes, calcula que necesitará cambiar once pantallas y formar a todo su servicio de atención. Las asociaciones de consumidores, en cambio, piden que la norma se aplique también a las tarjetas asociadas.
        El proyecto puede comentarse hasta mediados de enero. Después pasará al ministerio, que prevé aprobarlo antes del verano.
        """,
    ),
    handwritten(
        "business",
        "Una cooperativa de aceite guarda sus certificados en una cadena de bloques",
        "Tomás Quiroga",
        "cooperativas, trazabilidad, aceite",
        """
        La cooperativa Olivar del Cerro, con seiscientos socios en la provincia de Jaén, ha empezado a registrar cada lote de aceite en una cadena de bloques que mantiene junto con otras catorce almazaras.
        Cada saco de aceituna recibe un número al entrar en la báscula. Desde ese momento quedan anotados el peso, la finca, la hora de la molienda y el depósito en el que reposa el aceite. El comprador puede leer toda la historia con la cámara del teléfono, y cualquier corrección queda a la vista.
        La idea no salió de una empresa tecnológica, sino de un pleito. Hace dos años un distribuidor aseguró que un envío no era virgen extra, y la cooperativa tardó cinco meses en demostrar lo contrario con papeles que estaban en tres oficinas distintas.
        «Ahora tardaríamos cinco minutos, y cuatro serían para encontrar las gafas», bromea Joana Benavides, que lleva las cuentas de la cooperativa desde 1998.
        El sistema ha costado 180.000 euros, de los que una tercera parte procede de una ayuda regional. No hay monedas ni inversores: los nodos están en las propias almazaras, y cada una paga su electricidad.
        Otras comarcas han pedido información. La cooperativa publicará el programa con una licencia libre cuando termine la campaña, en el mes de febrero.
        """,
    ),
)
