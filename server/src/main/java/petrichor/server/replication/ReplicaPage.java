package petrichor.server.replication;

import com.google.protobuf.InvalidProtocolBufferException;
import java.io.ByteArrayOutputStream;
import java.util.Map;
import java.util.function.Predicate;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.frontends.access.Role;
import petrichor.frontends.http.Page;
import petrichor.frontends.http.PathTemplate;
import petrichor.frontends.http.RequestBody;
import petrichor.movement.replication.ReplicationOwner;
import petrichor.rpc.v1.ReplicationRequest;
import petrichor.rpc.v1.ReplicationResponse;

/**
 * The target of replications: {@code POST /petrichor/v1/replica} takes a {@link ReplicationRequest}
 * and answers with its response, both in Protocol Buffers. An error is a text, with its code in the
 * header {@code petrichor-error}. The caller needs the role admin for the database. Thread-safe.
 */
final class ReplicaPage {
    static final String PATH = "/petrichor/v1/replica";
    static final String ERROR_HEADER = "petrichor-error";
    private static final String TYPE = "application/x-protobuf";

    /** A compressed transaction; see TransactionLimits. */
    private static final int BODY_BYTES_MAX = 96 << 20;

    private final ReplicationOwner owner;
    private final Predicate<String> exists;

    /**
     * @param exists whether there is a database: a question must not create one
     */
    ReplicaPage(ReplicationOwner owner, Predicate<String> exists) {
        this.owner = owner;
        this.exists = exists;
    }

    Page page() {
        return Page.streaming("POST", PathTemplate.of(PATH), Page.Access.TOKEN, this::answer);
    }

    private Page.Answer answer(Page.Request request) {
        try {
            ReplicationRequest asked = ReplicationRequest.parseFrom(body(request.raw().body()));
            String name = asked.getDatabase();
            int slash = name.indexOf('/');
            request.attempt()
                    .require(
                            Role.ADMIN,
                            slash < 0 ? name : name.substring(0, slash),
                            slash < 0 ? "" : name.substring(slash + 1));
            return Page.Answer.bytes(200, TYPE, answered(asked).toByteArray());
        } catch (InvalidProtocolBufferException malformed) {
            return refused(
                    PetrichorException.of(
                            ErrorCode.INVALID_ARGUMENT,
                            malformed,
                            "A request of a replication is malformed; do both servers run the same"
                                    + " version?"));
        } catch (PetrichorException failed) {
            return refused(failed);
        }
    }

    private static byte[] body(RequestBody body) {
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        for (byte[] part = body.next(); part != null; part = body.next()) {
            if (whole.size() + part.length > BODY_BYTES_MAX) {
                throw PetrichorException.invalid(
                        "A request of a replication has more than {bytesMax} bytes.",
                        "bytesMax",
                        BODY_BYTES_MAX);
            }
            whole.writeBytes(part);
        }
        return whole.toByteArray();
    }

    private ReplicationResponse answered(ReplicationRequest asked) {
        return switch (asked.getWhatCase()) {
            case BEGIN -> owner.ask(asked);
            case DESCRIBE, RANGE, APPLY, PROMOTE, RAISE ->
                    exists.test(asked.getDatabase())
                            ? owner.ask(asked)
                            : missing(asked.getWhatCase());
            case LEAD, READ, COPY, HOLD, DROP, FENCE, REOPEN, WHAT_NOT_SET ->
                    throw PetrichorException.invalid(
                            "A replication cannot ask its target for this.");
        };
    }

    private static ReplicationResponse missing(ReplicationRequest.WhatCase asked) {
        return ReplicationResponse.newBuilder()
                .setOutcome(
                        asked == ReplicationRequest.WhatCase.DESCRIBE
                                ? ReplicationResponse.Outcome.DONE
                                : ReplicationResponse.Outcome.ELSEWHERE)
                .build();
    }

    private static Page.Answer refused(PetrichorException failed) {
        return Page.Answer.text(
                        failed.code() == ErrorCode.UNAVAILABLE ? 503 : 400,
                        failed.getMessage() + "\n")
                .with(Map.of(ERROR_HEADER, failed.code().name()));
    }
}
