package petrichor.server.apps;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.frontends.appengine.BundledService;
import petrichor.frontends.appengine.ServiceCall;

/** A service that is created, with the libraries it loads, by its first call. Thread-safe. */
final class FirstUse implements BundledService {
    private final String name;
    private final Supplier<BundledService> create;
    private volatile @Nullable BundledService service;

    FirstUse(String name, Supplier<BundledService> create) {
        this.name = name;
        this.create = create;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public CompletableFuture<byte[]> call(ServiceCall call) {
        return service().call(call);
    }

    private BundledService service() {
        BundledService known = service;
        if (known != null) {
            return known;
        }
        synchronized (this) {
            BundledService created = service == null ? create.get() : service;
            service = created;
            return created;
        }
    }
}
