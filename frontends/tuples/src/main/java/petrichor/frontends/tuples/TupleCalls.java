package petrichor.frontends.tuples;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import petrichor.base.PetrichorException;
import petrichor.frontends.tuples.wire.DeleteByTagsRequest;
import petrichor.frontends.tuples.wire.DeleteByTagsResponse;
import petrichor.frontends.tuples.wire.FindRequest;
import petrichor.frontends.tuples.wire.GetRequest;
import petrichor.frontends.tuples.wire.GetResponse;
import petrichor.frontends.tuples.wire.PageResponse;
import petrichor.frontends.tuples.wire.RangeRequest;
import petrichor.frontends.tuples.wire.TagCondition.Range;
import petrichor.frontends.tuples.wire.WriteOutcome;
import petrichor.frontends.tuples.wire.WriteRequest;
import petrichor.frontends.tuples.wire.WriteResponse;
import petrichor.tuples.KeySpan;
import petrichor.tuples.Tag;
import petrichor.tuples.TagCondition;
import petrichor.tuples.TagFilter;
import petrichor.tuples.Tuple;
import petrichor.tuples.TuplePage;
import petrichor.tuples.TupleStore;
import petrichor.tuples.TupleStore.Paging;
import petrichor.tuples.TupleWrite;
import petrichor.tuples.WriteResult;

/** The calls about tuples. Stateless. */
final class TupleCalls {
    private TupleCalls() {}

    static WriteResponse write(TupleStore store, WriteRequest request) {
        List<TupleWrite> writes = new ArrayList<>();
        for (petrichor.frontends.tuples.wire.TupleWrite write : request.getWritesList()) {
            writes.add(write(request.getCollection(), write));
        }
        WriteResult.Batch batch = store.write(writes, request.getAtomic());
        return WriteResponse.newBuilder()
                .setApplied(batch.applied())
                .addAllOutcomes(batch.results().stream().map(TupleCalls::message).toList())
                .build();
    }

    private static TupleWrite write(
            String requested, petrichor.frontends.tuples.wire.TupleWrite write) {
        String collection = write.getCollection().isEmpty() ? requested : write.getCollection();
        TupleWrite.Condition condition = condition(write.getCondition());
        return switch (write.getWriteCase()) {
            case PUT ->
                    new TupleWrite.Put(
                            collection,
                            write.getPut().getKey(),
                            write.getPut().getValue().toByteArray(),
                            tags(write.getPut().getTagsList()),
                            condition);
            case DELETE -> new TupleWrite.Delete(collection, write.getDelete(), condition);
            case WRITE_NOT_SET ->
                    throw PetrichorException.invalid(
                            "a write must have the field put or the field delete.");
        };
    }

    private static SortedSet<Tag> tags(List<String> texts) {
        SortedSet<Tag> tags = new TreeSet<>();
        texts.forEach(text -> tags.add(Tag.parse(text)));
        return tags;
    }

    private static TupleWrite.Condition condition(
            petrichor.frontends.tuples.wire.TupleWrite.Condition condition) {
        return switch (condition.getConditionCase()) {
            case ABSENT ->
                    condition.getAbsent()
                            ? new TupleWrite.Condition.Absent()
                            : TupleWrite.Condition.NONE;
            case PRESENT ->
                    condition.getPresent()
                            ? new TupleWrite.Condition.Present()
                            : TupleWrite.Condition.NONE;
            case REVISION -> new TupleWrite.Condition.AtRevision(condition.getRevision());
            case CONDITION_NOT_SET -> TupleWrite.Condition.NONE;
        };
    }

    private static WriteOutcome message(WriteResult result) {
        WriteOutcome.Builder message = WriteOutcome.newBuilder();
        return switch (result) {
            case WriteResult.Stored(long revision, boolean created) ->
                    message.setState(
                                    created
                                            ? WriteOutcome.State.CREATED
                                            : WriteOutcome.State.REPLACED)
                            .setRevision(revision)
                            .build();
            case WriteResult.Deleted(boolean existed) ->
                    message.setState(
                                    existed
                                            ? WriteOutcome.State.DELETED
                                            : WriteOutcome.State.NOTHING_TO_DELETE)
                            .build();
            case WriteResult.Refused(long revision) ->
                    message.setState(WriteOutcome.State.CONDITION_NOT_MET)
                            .setRevision(revision)
                            .build();
            case WriteResult.NotAttempted _ ->
                    message.setState(WriteOutcome.State.NOT_ATTEMPTED).build();
        };
    }

    static GetResponse get(TupleStore store, GetRequest request) {
        TupleStore.Gets gets =
                store.get(request.getCollection(), request.getKeysList(), request.getVersion());
        return GetResponse.newBuilder()
                .addAllTuples(gets.tuples().stream().map(TupleCalls::message).toList())
                .setVersion(gets.version())
                .addAllUnread(gets.unread())
                .build();
    }

    static PageResponse range(TupleStore store, RangeRequest request) {
        boolean bounded = !request.getFrom().isEmpty() || !request.getTo().isEmpty();
        if (bounded && !request.getPrefix().isEmpty()) {
            throw PetrichorException.invalid("a range has a prefix, or from and to, not both.");
        }
        KeySpan span =
                request.getPrefix().isEmpty()
                        ? KeySpan.of(request.getFrom(), request.getTo())
                        : KeySpan.ofPrefix(request.getPrefix());
        return message(
                store.range(
                        request.getCollection(),
                        span,
                        Paging.of(
                                request.getPageSize(),
                                request.getVersion(),
                                request.getPageToken())));
    }

    static PageResponse find(TupleStore store, FindRequest request) {
        return message(
                store.find(
                        request.getCollection(),
                        filter(request.getAllList(), request.getAnyList()),
                        Paging.of(
                                request.getPageSize(),
                                request.getVersion(),
                                request.getPageToken())));
    }

    static DeleteByTagsResponse deleteByTags(TupleStore store, DeleteByTagsRequest request) {
        if (request.getAllCount() + request.getAnyCount() == 0) {
            throw PetrichorException.invalid(
                    "a deletion by tags needs a condition; the pattern * of a dimension means all"
                            + " tuples that have it.");
        }
        TupleStore.Deletions deletions =
                store.delete(
                        request.getCollection(),
                        filter(request.getAllList(), request.getAnyList()),
                        request.getPageToken());
        return DeleteByTagsResponse.newBuilder()
                .setDeleted(deletions.deleted())
                .setNextPageToken(deletions.continuation().orElse(""))
                .build();
    }

    private static TagFilter filter(
            List<petrichor.frontends.tuples.wire.TagCondition> all,
            List<petrichor.frontends.tuples.wire.TagCondition> any) {
        return new TagFilter(
                all.stream().map(TupleCalls::condition).toList(),
                any.stream().map(TupleCalls::condition).toList());
    }

    private static TagCondition condition(petrichor.frontends.tuples.wire.TagCondition condition) {
        String dimension = condition.getDimension();
        return switch (condition.getMatchCase()) {
            case VALUE -> new TagCondition.Is(dimension, condition.getValue());
            case PATTERN -> new TagCondition.Like(dimension, condition.getPattern());
            case RANGE -> {
                Range range = condition.getRange();
                yield new TagCondition.Between(dimension, range.getFirst(), range.getLast());
            }
            case MATCH_NOT_SET ->
                    throw PetrichorException.invalid(
                            "a condition must have a value, a pattern or a range.");
        };
    }

    private static PageResponse message(TuplePage page) {
        return PageResponse.newBuilder()
                .addAllTuples(page.tuples().stream().map(TupleCalls::message).toList())
                .setNextPageToken(page.continuation().orElse(""))
                .setVersion(page.version())
                .setRows(page.rows())
                .setAccess(page.access())
                .build();
    }

    private static petrichor.frontends.tuples.wire.Tuple message(Tuple tuple) {
        return petrichor.frontends.tuples.wire.Tuple.newBuilder()
                .setKey(tuple.key())
                .setValue(ByteString.copyFrom(tuple.value()))
                .addAllTags(tuple.tags().stream().map(Tag::toString).toList())
                .setRevision(tuple.revision())
                .build();
    }
}
