"""The operator's client: the verbs under /v1/admin, with an operator's token instead of a team's API key."""

from dataclasses import replace

from tetrad.client.calls import Call, create, get, path_of, post, query_of
from tetrad.client.synchronous import Client
from tetrad.contracts.evaluations import BaselinesRequest, BaselinesStarted
from tetrad.contracts.inference import (
    GatewayTokenList,
    GatewayTokenRecord,
    GatewayTokenRequest,
    GrantedGatewayToken,
    ModelBudget,
    ModelBudgetRequest,
)
from tetrad.contracts.leaderboards import Board
from tetrad.contracts.operator import (
    ActList,
    ApprovalRequest,
    CapsRequest,
    Deletion,
    DeletionRequest,
    Explained,
    InviteList,
    InviteRecord,
    InviteRequest,
    NewInvite,
    Noted,
    RescoringRequest,
    RowRequest,
    SecretStates,
    TeamRecord,
    TeamRecordList,
)
from tetrad.contracts.rescoring import RescoringBatch, RevisionList
from tetrad.contracts.submissions import Submission


class OperatorClient(Client):
    """All verbs of a client, and those that only operators may use."""

    def teams(self, *, cursor: str | None = None, limit: int = 50, status: str | None = None) -> TeamRecordList:
        return self._send(get("/v1/admin/teams", TeamRecordList, query_of(cursor=cursor, limit=limit, status=status)))

    def usage(self, since: str | None = None, until: str | None = None) -> str:
        """Return what each team used in a period, as CSV; days as 2026-11-27, this month by default."""
        query = query_of(since=since, until=until)
        return self._send(Call(method="GET", path="/v1/admin/usage", decode=lambda reply: reply.text, query=query))

    def show_team(self, team: str) -> TeamRecord:
        return self._send(get(_team(team), TeamRecord))

    def approve_team(self, team: str, reason: str = "") -> TeamRecord:
        return self._send(post(f"{_team(team)}/approve", Noted(reason=reason), TeamRecord))

    def suspend_team(self, team: str, reason: str) -> TeamRecord:
        return self._send(post(f"{_team(team)}/suspend", Explained(reason=reason), TeamRecord))

    def set_caps(self, team: str, request: CapsRequest) -> TeamRecord:
        return self._send(replace(post(f"{_team(team)}/caps", request, TeamRecord), method="PATCH"))

    def approve_corpus(self, team: str, corpus: str, request: ApprovalRequest) -> TeamRecord:
        return self._send(replace(post(_approval(team, corpus), request, TeamRecord), method="PUT"))

    def disapprove_corpus(self, team: str, corpus: str) -> TeamRecord:
        return self._send(replace(post(_approval(team, corpus), None, TeamRecord), method="DELETE"))

    def delete_team(self, team: str, request: DeletionRequest) -> Deletion:
        return self._send(post(f"{_team(team)}/delete", request, Deletion))

    def make_invite(self, request: InviteRequest) -> NewInvite:
        return self._send(post("/v1/admin/invites", request, NewInvite))

    def invites(self, *, cursor: str | None = None, limit: int = 50) -> InviteList:
        return self._send(get("/v1/admin/invites", InviteList, query_of(cursor=cursor, limit=limit)))

    def revoke_invite(self, invite: str, reason: str = "") -> InviteRecord:
        return self._send(post(path_of("/v1/admin/invites/{}/revoke", invite), Noted(reason=reason), InviteRecord))

    def make_gateway_token(self, request: GatewayTokenRequest) -> GrantedGatewayToken:
        return self._send(post("/v1/admin/gateway-tokens", request, GrantedGatewayToken))

    def gateway_tokens(
        self, *, cursor: str | None = None, limit: int = 50, team: str | None = None
    ) -> GatewayTokenList:
        query = query_of(cursor=cursor, limit=limit, team=team)
        return self._send(get("/v1/admin/gateway-tokens", GatewayTokenList, query))

    def model_budget(self, team: str) -> ModelBudget:
        return self._send(get(f"{_team(team)}/model-budget", ModelBudget))

    def set_model_budget(self, team: str, request: ModelBudgetRequest) -> ModelBudget:
        return self._send(replace(post(f"{_team(team)}/model-budget", request, ModelBudget), method="PUT"))

    def revoke_gateway_token(self, token: str, reason: str = "") -> GatewayTokenRecord:
        path = path_of("/v1/admin/gateway-tokens/{}/revoke", token)
        return self._send(post(path, Noted(reason=reason), GatewayTokenRecord))

    def void(self, submission: str, reason: str) -> Submission:
        return self._send(post(f"{_submission(submission)}/void", Explained(reason=reason), Submission))

    def requeue(self, submission: str, reason: str = "") -> Submission:
        return self._send(post(f"{_submission(submission)}/requeue", Noted(reason=reason), Submission))

    def hide(self, request: RowRequest) -> Board:
        return self._send(post("/v1/admin/rows/hide", request, Board))

    def show_row(self, request: RowRequest) -> Board:
        return self._send(post("/v1/admin/rows/show", request, Board))

    def rescore(self, request: RescoringRequest, *, idempotency_key: str | None = None) -> RescoringBatch:
        """Ask for a proposal; poll `rescoring` until nothing of it is queued. Nothing changes until it is applied."""
        return self._send(create("/v1/admin/rescorings", request, RescoringBatch, idempotency_key))

    def rescoring(self, batch: str, *, cursor: str | None = None, limit: int = 200) -> RescoringBatch:
        query = query_of(cursor=cursor, limit=limit)
        return self._send(get(path_of("/v1/admin/rescorings/{}", batch), RescoringBatch, query))

    def apply_rescoring(self, batch: str) -> RescoringBatch:
        return self._send(post(path_of("/v1/admin/rescorings/{}/apply", batch), None, RescoringBatch))

    def start_baselines(self, request: BaselinesRequest) -> BaselinesStarted:
        """Start the baselines on every benchmark and setting, or on those named."""
        return self._send(post("/v1/admin/baselines", request, BaselinesStarted))

    def revisions(self, submission: str, *, cursor: str | None = None, limit: int = 50) -> RevisionList:
        query = query_of(cursor=cursor, limit=limit)
        return self._send(get(path_of("/v1/submissions/{}/revisions", submission), RevisionList, query))

    def audit_log(self, *, cursor: str | None = None, limit: int = 50, subject: str | None = None) -> ActList:
        return self._send(get("/v1/admin/acts", ActList, query_of(cursor=cursor, limit=limit, subject=subject)))

    def review_secrets(self) -> SecretStates:
        return self._send(post("/v1/admin/secrets/review", None, SecretStates))


def _team(team: str) -> str:
    return path_of("/v1/admin/teams/{}", team)


def _approval(team: str, corpus: str) -> str:
    return path_of("/v1/admin/teams/{}/approvals/{}", team, corpus)


def _submission(submission: str) -> str:
    return path_of("/v1/admin/submissions/{}", submission)
