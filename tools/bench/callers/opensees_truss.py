# SPDX-License-Identifier: BSD-3-Clause
"""Solves a truss with OpenSeesPy. Usage: opensees_truss.py SYSTEM"""
import sys

import openseespy.opensees as truss
from loaded import report

SPANS = 40
truss.wipe()
truss.model("basic", "-ndm", 2, "-ndf", 2)
for i in range(SPANS + 1):
    truss.node(i, float(i), 0.0)
    truss.node(100 + i, float(i), 1.0)
truss.fix(0, 1, 1)
truss.fix(100, 1, 1)
truss.uniaxialMaterial("Elastic", 1, 1000.0)
bars = [bar for i in range(SPANS)
        for bar in ((i, i + 1), (100 + i, 101 + i), (i, 101 + i), (i + 1, 100 + i), (i + 1, 101 + i))]
for number, (first, second) in enumerate(bars):
    truss.element("Truss", number + 1, first, second, 1.0, 1)
truss.timeSeries("Linear", 1)
truss.pattern("Plain", 1, 1)
truss.load(SPANS, 0.0, -1.0)
truss.system(sys.argv[1])
truss.numberer("RCM")
truss.constraints("Plain")
truss.integrator("LoadControl", 1.0)
truss.algorithm("Linear")
truss.analysis("Static")
code = truss.analyze(1)
report(code=code, deflection=truss.nodeDisp(SPANS, 2))
