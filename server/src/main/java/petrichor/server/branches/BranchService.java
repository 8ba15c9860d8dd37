package petrichor.server.branches;

import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.rpc.OwnerCalls;
import petrichor.rpc.Rpc;
import petrichor.rpc.v1.BranchDatabase;
import petrichor.rpc.v1.DatabaseChange;
import petrichor.rpc.v1.DatabaseChanged;
import petrichor.transactions.Databases;

/**
 * Branches and drops databases at their owners: a branch is made by the owner of its parent, which
 * knows the newest version. Thread-safe.
 */
public final class BranchService {
    /** The rows of a version may have to be applied first. */
    private static final long CALL_MAX_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final OwnerCalls.Method<DatabaseChange, DatabaseChanged> METHOD =
            new OwnerCalls.Method<>(
                    "petrichor.rpc.v1.Databases",
                    DatabaseChange.parser(),
                    DatabaseChanged.parser(),
                    DatabaseChange::getDatabase,
                    CALL_MAX_NANOS);

    private final Supplier<Databases> databases;
    private final Consumer<String> drop;
    private final OwnerCalls<DatabaseChange, DatabaseChanged> calls;

    /**
     * @param databases those that this server owns
     * @param drop one of them, with what is in memory about it
     */
    public BranchService(Supplier<Databases> databases, Consumer<String> drop, Rpc rpc) {
        this.databases = databases;
        this.drop = drop;
        this.calls = new OwnerCalls<>(rpc, METHOD, (change, _) -> executed(change));
    }

    DatabaseChanged ask(DatabaseChange change) {
        return calls.ask(change);
    }

    private DatabaseChanged executed(DatabaseChange change) {
        Databases all = databases.get();
        String name = change.getDatabase();
        return switch (change.getWhatCase()) {
            case BRANCH -> {
                BranchDatabase branch = change.getBranch();
                OptionalLong at =
                        branch.getVersion() == 0
                                ? OptionalLong.empty()
                                : OptionalLong.of(branch.getVersion());
                yield DatabaseChanged.newBuilder()
                        .setVersion(all.branch(branch.getName(), name, at).version())
                        .build();
            }
            case DROP -> {
                requireDroppable(all, name, change.getDrop().getAny());
                drop.accept(name);
                yield DatabaseChanged.getDefaultInstance();
            }
            case WHAT_NOT_SET ->
                    throw PetrichorException.invalid(
                            "another server sent an incomplete request for a database; do all"
                                    + " servers run the same version?");
        };
    }

    private static void requireDroppable(Databases all, String name, boolean any) {
        if (!all.names().contains(name)) {
            throw PetrichorException.of(
                    ErrorCode.NOT_FOUND, "There is no database {database}.", "database", name);
        }
        if (!any && all.branches().stream().noneMatch(branch -> branch.name().equals(name))) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The database {database} is not a branch. To delete all of its data,"
                            + " `petrichor database drop` needs --force.",
                    "database",
                    name);
        }
    }
}
