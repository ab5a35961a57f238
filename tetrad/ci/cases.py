"""Write the result as JUnit XML: one test case a gate, not one a wrong answer.

A gate that fails is a failure, one that could not tell an error: CI systems show both, and tell them apart.
"""

from tetrad.ci.applying import gate_names
from tetrad.ci.result import CiResult
from tetrad.reporting.junit import junit_document, junit_element, junit_suite


def gate_cases(result: CiResult) -> bytes:
    """Return the document in UTF-8."""
    identity = result.identity
    name = f"{identity.benchmark}.{identity.track}.{identity.setting}"
    time = f"{60 * (result.candidate.minutes or 0.0):.3f}"
    cases = []
    for gate in result.gates:
        case = junit_element("testcase", name=f"{gate.name}: {gate.asks}", classname=name, time="0")
        if gate.outcome != "pass":
            tag = "failure" if gate.outcome == "fail" else "error"
            case.append(junit_element(tag, type=gate_names(gate.outcome), message=gate.why))
        cases.append(case)
    suite = junit_suite(
        f"{name}.gates", cases, package=name, at=result.at, time=time, properties=_facts(result).items()
    )
    return junit_document([suite])


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
