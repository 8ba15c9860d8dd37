package petrichor.cluster;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnsafeByteOperations;
import java.util.Arrays;
import java.util.List;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.KeyRange;
import petrichor.rpc.v1.RoutedCommitRequest;
import petrichor.rpc.v1.RoutedCommitResponse;
import petrichor.rpc.v1.RoutedConflict;
import petrichor.rpc.v1.RoutedFailure;
import petrichor.rpc.v1.RoutedRange;
import petrichor.rpc.v1.RoutedReads;
import petrichor.rpc.v1.RoutedRow;
import petrichor.rpc.v1.RoutedWrite;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Row;
import petrichor.transactions.RowWrite;
import petrichor.transactions.rows.ReadsAt;

/** Commits and their outcomes as messages between servers. */
final class CommitMessages {
    private CommitMessages() {}

    static RoutedCommitRequest.Builder encode(String database, CommitRequest commit) {
        RoutedCommitRequest.Builder message =
                RoutedCommitRequest.newBuilder()
                        .setDatabase(database)
                        .setBaseVersion(commit.baseVersion());
        commit.readKeys().forEach(key -> message.addReadKeys(shared(key)));
        commit.conflictKeys().forEach(key -> message.addConflictKeys(shared(key)));
        commit.readRanges().forEach(range -> message.addReadRanges(encode(range)));
        commit.writes().forEach(write -> message.addWrites(encode(write)));
        return message;
    }

    /** Reads at another version. */
    static RoutedReads encode(ReadsAt reads) {
        RoutedReads.Builder message = RoutedReads.newBuilder().setVersion(reads.version());
        reads.keys().forEach(key -> message.addKeys(shared(key)));
        reads.ranges().forEach(range -> message.addRanges(encode(range)));
        return message.build();
    }

    static CommitRequest decode(RoutedReads message) {
        return new CommitRequest(
                message.getVersion(),
                keys(message.getKeysList()),
                message.getRangesList().stream().map(CommitMessages::range).toList(),
                List.of(),
                List.of());
    }

    private static RoutedRange.Builder encode(KeyRange range) {
        RoutedRange.Builder encoded = RoutedRange.newBuilder().setFrom(shared(range.from()));
        byte[] to = range.to();
        if (to != null) {
            encoded.setTo(shared(to));
        }
        return encoded;
    }

    private static RoutedWrite encode(RowWrite write) {
        RoutedWrite.Builder encoded = RoutedWrite.newBuilder().setKey(shared(write.key()));
        byte[] value = write.value();
        if (value != null) {
            encoded.setValue(shared(value));
        }
        Row prior = write.prior();
        if (prior != null) {
            encoded.setPrior(
                    RoutedRow.newBuilder()
                            .setVersion(prior.version())
                            .setValue(shared(prior.value())));
        }
        return encoded.build();
    }

    /** Without a copy: rows do not change. */
    private static ByteString shared(byte[] bytes) {
        return UnsafeByteOperations.unsafeWrap(bytes);
    }

    static CommitRequest decode(RoutedCommitRequest message) {
        return new CommitRequest(
                message.getBaseVersion(),
                keys(message.getReadKeysList()),
                message.getReadRangesList().stream().map(CommitMessages::range).toList(),
                keys(message.getConflictKeysList()),
                message.getWritesList().stream().map(CommitMessages::write).toList());
    }

    private static List<byte[]> keys(List<ByteString> keys) {
        return keys.stream().map(ByteString::toByteArray).toList();
    }

    private static KeyRange range(RoutedRange range) {
        return new KeyRange(
                range.getFrom().toByteArray(), range.hasTo() ? range.getTo().toByteArray() : null);
    }

    private static RowWrite write(RoutedWrite write) {
        byte[] key = write.getKey().toByteArray();
        return new RowWrite(
                key,
                write.hasValue() ? write.getValue().toByteArray() : null,
                write.hasPrior()
                        ? new Row(
                                key,
                                write.getPrior().getVersion(),
                                write.getPrior().getValue().toByteArray())
                        : null);
    }

    static byte[] encode(CommitResult result) {
        RoutedCommitResponse.Builder message = RoutedCommitResponse.newBuilder();
        switch (result) {
            case CommitResult.Committed(long version) -> message.setCommitted(version);
            case CommitResult.Conflict(byte[] key, long version) ->
                    message.setConflict(
                            RoutedConflict.newBuilder()
                                    .setKey(ByteString.copyFrom(key))
                                    .setVersion(version));
            case CommitResult.Refused(PetrichorException reason) ->
                    message.setRefused(failure(reason));
            case CommitResult.Unknown(PetrichorException reason) ->
                    message.setUnknown(failure(reason));
        }
        return message.build().toByteArray();
    }

    private static RoutedFailure failure(PetrichorException reason) {
        return RoutedFailure.newBuilder()
                .setCode(reason.code().name())
                .setText(String.valueOf(reason.getMessage()))
                .build();
    }

    static CommitResult decode(byte[] response) {
        RoutedCommitResponse message;
        try {
            message = RoutedCommitResponse.parseFrom(response);
        } catch (InvalidProtocolBufferException malformed) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL,
                    malformed,
                    "the owner of a database sent a malformed outcome of a commit");
        }
        return switch (message.getOutcomeCase()) {
            case COMMITTED -> new CommitResult.Committed(message.getCommitted());
            case CONFLICT ->
                    new CommitResult.Conflict(
                            message.getConflict().getKey().toByteArray(),
                            message.getConflict().getVersion());
            case REFUSED -> new CommitResult.Refused(failure(message.getRefused()));
            case UNKNOWN -> new CommitResult.Unknown(failure(message.getUnknown()));
            case OUTCOME_NOT_SET ->
                    throw PetrichorException.of(
                            ErrorCode.INTERNAL,
                            "the owner of a database sent no outcome of a commit; do all servers"
                                    + " run the same version?");
        };
    }

    private static PetrichorException failure(RoutedFailure failure) {
        ErrorCode code =
                Arrays.stream(ErrorCode.values())
                        .filter(known -> known.name().equals(failure.getCode()))
                        .findFirst()
                        .orElse(ErrorCode.INTERNAL);
        return new PetrichorException(code, failure.getText());
    }
}
