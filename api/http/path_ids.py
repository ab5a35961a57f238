"""Ids and names in the paths of routes, each described once for the OpenAPI document."""

from typing import Annotated, TypeAlias

from litestar.params import PathParameter

BenchmarkName: TypeAlias = Annotated[str, PathParameter(description="name of a benchmark, such as kiva")]
DatasetId: TypeAlias = Annotated[str, PathParameter(description="id of a data set: dst_ and 40 hex digits")]
EvaluationId: TypeAlias = Annotated[str, PathParameter(description="id of an evaluation: evl_ and 32 hex digits")]
InviteId: TypeAlias = Annotated[str, PathParameter(description="id of an invite: inv_ and 32 hex digits")]
ItemId: TypeAlias = Annotated[str, PathParameter(description="id of a practice item: itm_ and a packed text")]
ItemIndex: TypeAlias = Annotated[int, PathParameter(description="index of the item in the draw, from 0")]
KeyId: TypeAlias = Annotated[str, PathParameter(description="id of an API key, never the key: key_ and 32 hex digits")]
PictureName: TypeAlias = Annotated[str, PathParameter(description="`name` of a picture of one of the item's questions")]
RescoringId: TypeAlias = Annotated[
    str, PathParameter(description="id of a batch of rescorings: rsb_ and 32 hex digits")
]
ShardNumber: TypeAlias = Annotated[int, PathParameter(description="number of a shard, from 0")]
SubmissionId: TypeAlias = Annotated[str, PathParameter(description="id of a submission: sub_ and 32 hex digits")]
Corpus: TypeAlias = Annotated[str, PathParameter(description="a fixed corpus: a benchmark's name, or KIND:NAME")]
TeamIdOrName: TypeAlias = Annotated[str, PathParameter(description="a team, by id (team_ and 32 hex digits) or name")]
TokenId: TypeAlias = Annotated[str, PathParameter(description="id of a token of the gateway: gwt_ and 32 hex digits")]
VerificationId: TypeAlias = Annotated[str, PathParameter(description="id of a verification: ver_ and 32 hex digits")]
WheelName: TypeAlias = Annotated[str, PathParameter(description="file name of the wheel, as GET /v1/versions gives it")]
