package petrichor.server;

import java.util.List;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.transactions.Database;
import petrichor.transactions.Databases;

/** Holds the place until the row store's databases are there. */
final class DatabasesToCome implements Databases {
    @Override
    public Database open(String name) {
        throw new PetrichorException(ErrorCode.UNIMPLEMENTED, "no databases yet");
    }

    @Override
    public List<String> names() {
        return List.of();
    }

    @Override
    public void drop(String name) {}

    @Override
    public void close() {}
}
