package petrichor.sql;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import petrichor.sql.h2.H2Catalog;
import petrichor.tables.CatalogImage;
import petrichor.tables.TableStore;

/**
 * H2's instances by version of the catalog, shared by sessions. Only the newest one stays without
 * users. Thread-safe.
 */
final class CatalogCache implements AutoCloseable {
    private static final class Shared {
        private final H2Catalog catalog;
        private int users;

        Shared(H2Catalog catalog) {
            this.catalog = catalog;
        }
    }

    private final TableStore store;
    private final Map<Long, Shared> byVersion = new HashMap<>();
    private final Consumer<CatalogImage> opened;
    private long newest;

    /**
     * @param opened receives each version that is opened
     */
    CatalogCache(TableStore store, Consumer<CatalogImage> opened) {
        this.store = store;
        this.opened = opened;
    }

    /** The caller releases it. */
    synchronized H2Catalog acquire(CatalogImage image) {
        Shared shared = byVersion.get(image.version());
        if (shared == null) {
            shared = new Shared(H2Catalog.open(store, image));
            byVersion.put(image.version(), shared);
            opened.accept(image);
        }
        newest = Math.max(newest, image.version());
        shared.users++;
        removeUnused();
        return shared.catalog;
    }

    synchronized void release(H2Catalog catalog) {
        Shared shared = byVersion.get(catalog.image().version());
        if (shared != null && shared.catalog == catalog) {
            shared.users--;
            removeUnused();
        }
    }

    private void removeUnused() {
        byVersion
                .values()
                .removeIf(
                        shared -> {
                            boolean unused =
                                    shared.users == 0 && shared.catalog.image().version() != newest;
                            if (unused) {
                                shared.catalog.close();
                            }
                            return unused;
                        });
    }

    @Override
    public synchronized void close() {
        byVersion.values().forEach(shared -> shared.catalog.close());
        byVersion.clear();
    }
}
