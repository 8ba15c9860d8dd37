package petrichor.server.admin;

import com.google.longrunning.ListOperationsResponse;
import com.google.longrunning.Operation;
import com.google.protobuf.InvalidProtocolBufferException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.entities.EntityDatabase;
import petrichor.entities.RowLayout;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Row;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;

/**
 * The long-running operations of one database, stored in one of its rows, so that they survive
 * restarts and are visible to every server of a cluster. Thread-safe; conflicting changes are
 * retried.
 */
final class OperationLog {
    /** Maximum number of operations; older ones are deleted. */
    static final int OPERATIONS_MAX = 200;

    private static final byte[] ROW = RowLayout.metaRow("admin-operations");

    private final EntityDatabase database;

    OperationLog(EntityDatabase database) {
        this.database = database;
    }

    /** All operations, newest last. */
    List<Operation> all() {
        try (Snapshot snapshot = database.rows().snapshot()) {
            return parse(snapshot.get(ROW));
        }
    }

    Operation get(String name) {
        return find(all(), name)
                .orElseThrow(
                        () ->
                                PetrichorException.of(
                                        ErrorCode.NOT_FOUND,
                                        "There is no operation \"{name}\".",
                                        "name",
                                        name));
    }

    void add(Operation operation) {
        change(
                operations -> {
                    List<Operation> more = new ArrayList<>(operations);
                    more.add(operation);
                    int from = Math.max(0, more.size() - OPERATIONS_MAX);
                    return more.subList(from, more.size());
                });
    }

    void replace(Operation operation) {
        change(
                operations ->
                        operations.stream()
                                .map(
                                        other ->
                                                other.getName().equals(operation.getName())
                                                        ? operation
                                                        : other)
                                .toList());
    }

    void remove(String name) {
        change(
                operations ->
                        operations.stream()
                                .filter(other -> !other.getName().equals(name))
                                .toList());
    }

    private static Optional<Operation> find(List<Operation> operations, String name) {
        return operations.stream().filter(one -> one.getName().equals(name)).findFirst();
    }

    private static List<Operation> parse(@Nullable Row row) {
        if (row == null) {
            return List.of();
        }
        try {
            return ListOperationsResponse.parseFrom(row.value()).getOperationsList();
        } catch (InvalidProtocolBufferException damaged) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL, damaged, "The list of operations is damaged.");
        }
    }

    private void change(UnaryOperator<List<Operation>> change) {
        while (true) {
            CommitResult result;
            try (Snapshot snapshot = database.rows().snapshot()) {
                Row prior = snapshot.get(ROW);
                byte[] next =
                        ListOperationsResponse.newBuilder()
                                .addAllOperations(change.apply(parse(prior)))
                                .build()
                                .toByteArray();
                result =
                        database.rows()
                                .commit(
                                        new CommitRequest(
                                                snapshot.version(),
                                                List.of(),
                                                List.of(),
                                                List.of(ROW),
                                                List.of(new RowWrite(ROW, next, prior))))
                                .join();
            }
            switch (result) {
                case CommitResult.Committed _ -> {
                    return;
                }
                case CommitResult.Conflict _ -> {}
                case CommitResult.Refused(PetrichorException reason) -> throw reason;
                case CommitResult.Unknown(PetrichorException reason) -> throw reason;
            }
        }
    }
}
