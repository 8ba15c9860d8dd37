package petrichor.sql;

import java.util.IdentityHashMap;
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
    private final IdentityHashMap<CatalogImage, Shared> byImage = new IdentityHashMap<>();
    private final Consumer<CatalogImage> opened;

    /**
     * @param opened receives each version that is opened
     */
    CatalogCache(TableStore store, Consumer<CatalogImage> opened) {
        this.store = store;
        this.opened = opened;
    }

    /** The caller releases it. */
    synchronized H2Catalog acquire(CatalogImage image) {
        Shared shared = byImage.get(image);
        if (shared == null) {
            shared = new Shared(H2Catalog.open(store, image));
            byImage.put(image, shared);
            opened.accept(image);
        }
        shared.users++;
        removeUnused();
        return shared.catalog;
    }

    synchronized void release(H2Catalog catalog) {
        Shared shared = byImage.get(catalog.image());
        if (shared != null && shared.catalog == catalog) {
            shared.users--;
            removeUnused();
        }
    }

    private void removeUnused() {
        byImage.values()
                .removeIf(
                        shared -> {
                            boolean unused =
                                    shared.users == 0 && !store.isNewest(shared.catalog.image());
                            if (unused) {
                                shared.catalog.close();
                            }
                            return unused;
                        });
    }

    @Override
    public synchronized void close() {
        byImage.values().forEach(shared -> shared.catalog.close());
        byImage.clear();
    }
}
