package petrichor.server.backups;

import com.google.protobuf.InvalidProtocolBufferException;
import java.util.function.Predicate;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.frontends.access.Role;
import petrichor.frontends.http.Page;
import petrichor.movement.backups.RowsOwner;
import petrichor.rpc.v1.RowsRequest;

/**
 * Stored entities over HTTP, for {@code petrichor backup}: {@code POST /petrichor/v1/rows} takes a
 * {@link RowsRequest} and answers with its response, both in Protocol Buffers. An error is a text,
 * with its code in the header {@code petrichor-error}. The caller needs the role admin for the
 * database. Thread-safe.
 */
public final class RowsPage {
    private static final String PATH = "/petrichor/v1/rows";
    private static final String TYPE = "application/x-protobuf";
    private static final String ERROR_HEADER = "petrichor-error";

    private final RowsOwner rows;
    private final Predicate<String> exists;

    /**
     * @param exists whether there is a database: reading must not create one
     */
    public RowsPage(RowsOwner rows, Predicate<String> exists) {
        this.rows = rows;
        this.exists = exists;
    }

    public Page page() {
        return new Page("POST", PATH, Page.Access.TOKEN, Page.Lane.CALLS, this::answer);
    }

    private Page.Answer answer(Page.Request request) {
        try {
            RowsRequest asked = RowsRequest.parseFrom(request.body());
            authorize(request, asked);
            return Page.Answer.bytes(200, TYPE, rows.ask(asked).toByteArray());
        } catch (InvalidProtocolBufferException malformed) {
            return refused(RowsService.malformed(malformed));
        } catch (PetrichorException failed) {
            return refused(failed);
        }
    }

    private static Page.Answer refused(PetrichorException failed) {
        return Page.Answer.text(
                        failed.code() == ErrorCode.UNAVAILABLE ? 503 : 400,
                        failed.getMessage() + "\n")
                .with(java.util.Map.of(ERROR_HEADER, failed.code().name()));
    }

    private void authorize(Page.Request request, RowsRequest asked) {
        String name = asked.getDatabase();
        int slash = name.indexOf('/');
        String project = slash < 0 ? name : name.substring(0, slash);
        request.attempt().require(Role.ADMIN, project, slash < 0 ? "" : name.substring(slash + 1));
        boolean creates =
                switch (asked.getWhatCase()) {
                    case STORE, DECLARE -> true;
                    case DESCRIBE, SPLIT, SCAN, CHANGES, HOLD, CLEAR, WHAT_NOT_SET -> false;
                };
        if (!creates && !exists.test(name)) {
            throw PetrichorException.of(
                    ErrorCode.NOT_FOUND,
                    "There is no database {database}; the first commit creates it.",
                    "database",
                    name);
        }
    }
}
