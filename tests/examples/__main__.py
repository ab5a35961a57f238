"""`python -m tests.examples [--anew]`: records an example of every operation, from a running service.

An example that is already there stays, unless it lacks a field of today or its request is another: what models answer
and which items are drawn differ between two runs. `--anew` takes all of this run.
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from api.http.description import EXAMPLES
from api.openapi import render_documents
from tests.answering import answer_all, wait_scored
from tests.examples.conforming import faults_of, operations_of
from tests.examples.recorder import Recorder
from tests.instance import ROOT, Instance, starting
from tests.waiting import wait_until

NONCE = "a text of ours"
PATIENCE_SECONDS = 900
THRESHOLDS = {"least_accuracy": 0.2, "most_unread": 0.05}
EVALUATED = 40
"""Items of the evaluation."""


def main(arguments: list[str]) -> int:
    known = json.loads(EXAMPLES.read_text()) if EXAMPLES.is_file() else {}
    sources = ROOT / "var" / "sources"
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        starting(Path(folder) / "home", sources) as instance,
    ):
        instance.wait_ready(PATIENCE_SECONDS)
        recorder = Recorder(instance.url)
        Walk(recorder, instance).go()
        recorded = recorder.settled()
    documents = [json.loads(body) for body in render_documents().values()]
    listed = {operation: document for document in documents for operation in operations_of(document)}
    if missing := sorted(listed.keys() - recorded.keys()):
        sys.stderr.write(f"no example of {', '.join(missing)}\n")
        return 1
    examples = {}
    for operation, example in recorded.items():
        old = known.get(operation, {})
        is_kept = "--anew" not in arguments and old.get("request") == example["request"]
        stays = is_kept and not faults_of(listed[operation], operation, old, whole=True)
        examples[operation] = old if stays else example
        for fault in faults_of(listed[operation], operation, examples[operation]):
            sys.stderr.write(f"{operation}: {fault}\n")
    EXAMPLES.write_text(json.dumps(examples, indent=1, ensure_ascii=False) + "\n")
    sys.stdout.write(
        f"{len(examples)} examples, {sum(examples[name] != known.get(name) for name in examples)} changed\n"
    )
    return 0


class Walk:
    """A walk through all operations of both documents, in an order in which each has something to answer."""

    def __init__(self, recorder: Recorder, instance: Instance) -> None:
        self._ask = recorder.ask
        self._operator = instance.secrets.operator_token.partition(",")[0]
        self._key = ""
        self.early = ""
        self._client = instance.client

    def go(self) -> None:
        self.practise()
        self.register()
        self.order()
        submission = self.submit()
        self.read(submission)
        evaluation = self.evaluate()
        self.compare(evaluation)
        self.operate(submission)

    def team(self, operation: str, method: str, path: str, body: object = None) -> Any:
        return self._ask(operation, method, path, body, key=self._key)

    def operator(self, operation: str, method: str, path: str, body: object = None) -> Any:
        return self._ask(operation, method, f"/v1/admin{path}", body, key=self._operator, role="AN_OPERATORS_TOKEN")

    def practise(self) -> None:
        ask = self._ask
        ask("isLive", "GET", "/health/live")
        ask("isReady", "GET", "/health/ready")
        wheel = ask("getVersions", "GET", "/v1/versions")["client"]["url"]
        ask("getClient", "GET", "/client/" + wheel.rpartition("/")[2])
        ask("listBenchmarks", "GET", "/v1/benchmarks?limit=1")
        ask("getBenchmark", "GET", "/v1/benchmarks/kiva")
        ask("countItems", "GET", "/v1/benchmarks/kiva/counted?size=100")
        page = ask("listPracticeItems", "GET", "/v1/benchmarks/kiva/items?seed=7&limit=1")
        item = page["items"][0]
        question, path = item["questions"][0], f"/v1/items/{item['id']}"
        names = [picture["name"] for picture in question["pictures"]]
        ask("getPracticeItem", "GET", path)
        ask("getSolution", "GET", f"{path}/solution")
        reply = {"question": question["id"], "response": "The answer is (1)."}
        ask("checkPracticeAnswers", "POST", f"{path}/answers", {"answers": [reply]})
        ask("getPracticePicture", "GET", f"{path}/images/{names[0]}")
        ask("getPracticePictures", "GET", f"{path}/images?pictures={','.join(names[:2])}")
        self.train()

    def train(self) -> None:
        """Ask what trainers do: rows of a setting in which one question opens the next, and verdicts."""
        row = self._ask("listRows", "GET", "/v1/benchmarks/kiva/rows?seed=7&limit=1&pictures=url&answers=yes")
        said = {"question": row["question"], "response": f"The answer is ({row['answer']})."}
        reply = {"item": row["item"], **said}
        answered = {"item": row["item"], "answers": [said]}
        self._ask("listNextRows", "POST", "/v1/benchmarks/kiva/rows?pictures=url", line_of(answered))
        self._ask("judgeReplies", "POST", "/v1/benchmarks/kiva/verdicts", line_of(reply))
        session = {"item": row["item"]}
        opened = self._ask("seedEnvironmentSession", "POST", "/v1/environments/kiva/seed_session", session)
        message = {"type": "message", "content": [{"type": "output_text", "text": said["response"]}]}
        rollout = {
            "item": row["item"],
            "question": opened["question"],
            "responses_create_params": opened["responses_create_params"],
            "response": {"output": [message]},
        }
        self._ask("verifyEnvironmentResponse", "POST", "/v1/environments/kiva/verify", rollout)

    def register(self) -> None:
        self._key = self._ask("registerTeam", "POST", "/v1/teams", {"name": "first-team", "title": "The first team"})[
            "key"
        ]
        self.team("getTeam", "GET", "/v1/teams/me")
        made = self.team("createKey", "POST", "/v1/keys", {"name": "in-ci", "scopes": ["read"]})
        self.team("listKeys", "GET", "/v1/keys")
        self.team("revokeKey", "DELETE", f"/v1/keys/{made['about']['id']}")
        model = {"name": "our-model", "title": "Our model", "url": "https://example.org/our-model"}
        self.team("registerModel", "POST", "/v1/models", model)
        self.team("listModels", "GET", "/v1/models")

    def order(self) -> None:
        """Order a data set, read it once it is made, and give it up."""
        request = {"benchmark": "kiva", "seed": "7", "count": 4, "form": "rows", "shard_items": 2}
        path = f"/v1/datasets/{self.team('orderDataset', 'POST', '/v1/datasets', request)['id']}"
        wait_until(lambda: self.team("getDataset", "GET", path)["state"] == "done", PATIENCE_SECONDS)
        self.team("listDatasets", "GET", "/v1/datasets?limit=1")
        self.team("getDatasetManifest", "GET", f"{path}/manifest")
        self.team("getDatasetShard", "GET", f"{path}/shards/0")
        self.team("listDatasetEvents", "GET", f"{path}/events")
        self.team("cancelDataset", "POST", f"{path}/cancel")

    def submit(self) -> str:
        """Return a scored submission. A second one is finished early."""
        request = {"benchmark": "kiva", "model": "our-model", "size": 2, "nonce": NONCE}
        self.team("openSubmission", "POST", "/v1/submissions", request)
        early = self.team("openSubmission", "POST", "/v1/submissions", request)["id"]
        self.team(
            "listOpenQuestions", "GET", f"/v1/submissions/{early}/questions"
        )  # one that nobody looked at stays open
        self.team("finishSubmission", "POST", f"/v1/submissions/{early}/finish")
        submission = str(self.team("openSubmission", "POST", "/v1/submissions", request)["id"])
        path = f"/v1/submissions/{submission}"
        opened = self.team("listOpenQuestions", "GET", f"{path}/questions")["questions"]
        names = [picture["name"] for picture in opened[0]["question"]["pictures"]]
        self.team("getSubmissionPicture", "GET", f"{path}/items/0/images/{names[0]}")
        listed = ",".join(f"0/{name}" for name in names[:2])
        self.team("getSubmissionPictures", "GET", f"{path}/images?pictures={listed}")
        replies = [{**place_of(asked), "response": "The answer is (1).", "stop": "complete"} for asked in opened]
        self.team("sealAnswers", "POST", f"{path}/answers", {"answers": replies})
        with self._client(self._key) as client:
            answer_all(client, submission)
            wait_scored(client, submission, PATIENCE_SECONDS)
            wait_scored(client, early, PATIENCE_SECONDS)
        self.early = str(early)
        return submission

    def read(self, submission: str) -> None:
        path = f"/v1/submissions/{submission}"
        self.team("getSubmission", "GET", path)
        self.team("listSubmissions", "GET", "/v1/submissions?limit=1")
        self.team("listEvents", "GET", f"{path}/events")
        report = self._ask("getReport", "GET", f"{path}/report")
        self._ask("listRevisions", "GET", f"{path}/revisions")
        self._ask("listRevealedItems", "GET", f"{path}/items?limit=1")
        self._ask("listCommitments", "GET", "/v1/commitments?limit=2")
        queued = self._ask("verifyReport", "POST", "/v1/verifications", {"report": report})
        checked = f"/v1/verifications/{queued['id']}"
        wait_until(lambda: self._ask("getVerification", "GET", checked)["state"] == "done", PATIENCE_SECONDS)

    def evaluate(self) -> list[str]:
        """Return the submissions of an evaluation of two models that has ended."""
        request = {
            "benchmark": "marvel",
            "models": ["random", "text-only"],
            "size": EVALUATED,
            "thresholds": THRESHOLDS,
        }
        opened = self.team("openEvaluation", "POST", "/v1/evaluations", request)
        path = f"/v1/evaluations/{opened['id']}"
        self.team("pauseEvaluation", "POST", f"{path}/pause", {"hours": 2})
        self.team("resumeEvaluation", "POST", f"{path}/resume")
        self.team("getEvaluationQueue", "GET", "/v1/evaluations/queue")
        other = self.team("openEvaluation", "POST", "/v1/evaluations", {**request, "size": 30})
        self.team("cancelEvaluation", "POST", f"/v1/evaluations/{other['id']}/cancel")
        self.team("openEvaluation", "POST", "/v1/evaluations", {**request, "size": 2, "visibility": "private"})
        wait_until(lambda: self.team("getEvaluation", "GET", path)["state"] == "done", PATIENCE_SECONDS)
        self.team("listEvaluations", "GET", "/v1/evaluations?limit=1")
        self.team("followEvaluation", "GET", f"{path}/events")
        result = self.team("getEvaluationResult", "GET", f"{path}/result")
        runs = [run["submission"] for run in result["runs"]]
        self.team("listModelCalls", "GET", f"/v1/evaluations/calls/{runs[0]}?limit=2")
        return runs

    def compare(self, runs: list[str]) -> None:
        self._ask("getLeaderboard", "GET", "/v1/leaderboards/marvel")
        self._ask("compareSubmissions", "GET", f"/v1/comparisons?a={runs[0]}&b={runs[1]}")
        self._ask("compareBoard", "GET", "/v1/comparisons/marvel")

    def operate(self, submission: str) -> None:
        self.keep_teams()
        self.keep_results(submission)
        self.operator("adminMakeInvite", "POST", "/invites", {"teams": 3, "days": 14, "note": "a workshop"})
        invites = self.operator("adminListInvites", "GET", "/invites")["invites"]
        self.operator("adminRevokeInvite", "POST", f"/invites/{invites[0]['id']}/revoke", {"reason": "it is over"})
        token = {"team": "first-team", "purpose": "practice", "models": ["random"], "days": 7}
        made = self.operator("adminMakeGatewayToken", "POST", "/gateway-tokens", token)["about"]
        self.operator("adminListGatewayTokens", "GET", "/gateway-tokens?team=first-team")
        self.operator("adminRevokeGatewayToken", "POST", f"/gateway-tokens/{made['id']}/revoke", {"reason": "lost"})
        self.operator("adminReviewSecrets", "POST", "/secrets/review")
        self.operator("adminListActs", "GET", "/acts?limit=2")
        some = {"benchmarks": ["marvel"], "models": ["constant"], "size": 1, "reason": "a first look"}
        self.operator("adminStartBaselines", "POST", "/baselines", some)

    def keep_teams(self) -> None:
        team = "/teams/first-team"
        self.operator("adminListTeams", "GET", "/teams?limit=2")
        self.operator("adminGetUsage", "GET", "/usage?since=2026-11-01&until=2026-12-01")
        self.operator("adminGetTeam", "GET", team)
        self.operator("adminSuspendTeam", "POST", f"{team}/suspend", {"reason": "it asked for it"})
        self.operator("adminApproveTeam", "POST", f"{team}/approve", {"reason": "it asked for it"})
        caps = {"open_submissions": 20, "items_a_day": None, "reason": "a large run"}
        self.operator("adminSetCaps", "PATCH", f"{team}/caps", caps)
        approval = {"submissions_cap": 3, "reason": "it signed"}
        self.operator("adminApproveCorpus", "PUT", f"{team}/approvals/marvel-corpus", approval)
        self.operator("adminDisapproveCorpus", "DELETE", f"{team}/approvals/marvel-corpus")
        self.operator("adminSetModelBudget", "PUT", f"{team}/model-budget", {"budget": 5_000_000, "reason": "a grant"})
        self.operator("adminShowModelBudget", "GET", f"{team}/model-budget")
        with self._client() as anyone:
            anyone.register_team("another-team")
        deletion = {"confirm": "another-team", "reason": "it asked for it"}
        self.operator("adminDeleteTeam", "POST", "/teams/another-team/delete", deletion)

    def keep_results(self, submission: str) -> None:
        row = {"team": "first-team", "model": "our-model", "benchmark": "kiva", "reason": "its team asked for it"}
        self.operator("adminHideRow", "POST", "/rows/hide", row)
        self.operator("adminShowRow", "POST", "/rows/show", row)
        again = {"submission": submission, "reason": "a newer scorer"}
        batch = self.operator("adminProposeRescoring", "POST", "/rescorings", again)["id"]
        path = f"/rescorings/{batch}"
        wait_until(lambda: "queued" not in self.operator("adminGetRescoring", "GET", path)["counts"], PATIENCE_SECONDS)
        self.operator("adminApplyRescoring", "POST", f"{path}/apply")
        early = f"/submissions/{self.early}"
        self.operator("adminRequeueSubmission", "POST", f"{early}/requeue", {"reason": "the store is back"})
        self.operator("adminVoidSubmission", "POST", f"{early}/void", {"reason": "finished by mistake"})


def place_of(asked: dict[str, Any]) -> dict[str, Any]:
    return {"item": asked["item"], "question": asked["question"]["id"]}


def line_of(value: object) -> bytes:
    return json.dumps(value).encode() + b"\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
