"""Write the result as JUnit XML: one test case a gate, not one a wrong answer.

A gate that fails is a failure, one that could not tell an error: CI systems show both, and tell them apart.
"""

import xml.etree.ElementTree as ET

from tetrad.ci.applying import gate_names
from tetrad.ci.result import CiResult
from tetrad.reporting.junit import HOST, junit_element


def gate_cases(result: CiResult) -> bytes:
    """Return the document in UTF-8."""
    identity = result.identity
    name = f"{identity.benchmark}.{identity.track}.{identity.setting}"
    seconds = 60 * (result.candidate.minutes or 0.0)
    suite = junit_element(
        "testsuite",
        name=f"{name}.gates",
        package=name,
        id="0",
        timestamp=result.at[:19],
        hostname=HOST,
        tests=str(len(result.gates)),
        failures=str(sum(gate.outcome == "fail" for gate in result.gates)),
        errors=str(sum(gate.outcome == "undecided" for gate in result.gates)),
        skipped="0",
        time=f"{seconds:.3f}",
    )
    properties = junit_element("properties")
    for key, value in _facts(result).items():
        properties.append(junit_element("property", name=key, value=value))
    suite.append(properties)
    for gate in result.gates:
        case = junit_element("testcase", name=f"{gate.name}: {gate.asks}", classname=name, time="0")
        if gate.outcome != "pass":
            tag = "failure" if gate.outcome == "fail" else "error"
            case.append(junit_element(tag, type=gate_names(gate.outcome), message=gate.why))
        suite.append(case)
    suite.extend([junit_element("system-out"), junit_element("system-err")])
    root = ET.Element("testsuites")
    root.append(suite)
    document: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def _facts(result: CiResult) -> dict[str, str]:
    candidate = result.candidate
    facts = {
        "model": candidate.model,
        "submission": " ".join(candidate.submissions),
        result.metric: f"{candidate.score:.6f}",
        "items": str(candidate.items),
        "pairing": result.pairing or "none",
    }
    if result.baseline is not None:
        facts |= {"baseline": result.baseline.model, f"baseline {result.metric}": f"{result.baseline.score:.6f}"}
    for gate in result.gates:
        facts |= {f"{gate.name} {key}": f"{value:g}" for key, value in gate.numbers.items() if value is not None}
    return facts
