package petrichor.server.admin;

import org.jspecify.annotations.Nullable;
import petrichor.movement.EntitySource;

/** Filters the records of a source by scope; ends when the operation should stop. */
record FilteredSource(EntitySource from, EntityFilterScope scope, TransferProgress progress)
        implements EntitySource {
    @Override
    public @Nullable Entry next() {
        while (true) {
            progress.check();
            Entry entry = from.next();
            if (!(entry instanceof Good good) || scope.includes(good.entity().getKey())) {
                return entry;
            }
        }
    }

    @Override
    public long bytesTotal() {
        return from.bytesTotal();
    }

    @Override
    public long bytesRead() {
        return from.bytesRead();
    }

    @Override
    public void close() {
        from.close();
    }
}
