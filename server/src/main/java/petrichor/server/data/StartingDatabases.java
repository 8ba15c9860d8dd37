package petrichor.server.data;

import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.transactions.Branch;
import petrichor.transactions.Database;
import petrichor.transactions.Databases;

/**
 * The databases of a server that still waits for its store: refuses every access with the reason.
 *
 * @param reason what the start waits for
 */
public record StartingDatabases(Supplier<String> reason) implements Databases {
    @Override
    public Database open(String name) {
        throw starting();
    }

    @Override
    public List<String> names() {
        throw starting();
    }

    @Override
    public void drop(String name) {
        throw starting();
    }

    @Override
    public Branch branch(String name, String parent, OptionalLong at) {
        throw starting();
    }

    @Override
    public List<Branch> branches() {
        throw starting();
    }

    private PetrichorException starting() {
        return refusal(reason.get());
    }

    public static PetrichorException refusal(String waiting) {
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                "the server is starting: {reason}; nothing was done, retry later",
                "reason",
                waiting);
    }

    @Override
    public void close() {}
}
