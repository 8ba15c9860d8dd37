package petrichor.bench.stores;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import petrichor.bench.drivers.RawRows;
import petrichor.bench.drivers.RawRowsProvider;
import petrichor.kv.StoreUrl;

/**
 * Loads the classes that use a store's bare driver. They need the driver's classes, which only the
 * store's plugin has, but the product does not contain them. This loader therefore defines them
 * from the benchmarks' own jar, with the plugin's loader as its parent. The interfaces are those of
 * the program.
 *
 * <p>Closed after the rows that it opened.
 */
public final class DriverLoader extends URLClassLoader {
    private static final Set<String> INTERFACES =
            Set.of(RawRows.class.getName(), RawRowsProvider.class.getName());

    /**
     * @param plugin see {@link petrichor.server.data.StorePlugins#driver}
     */
    public DriverLoader(ClassLoader plugin) {
        super("drivers", new URL[] {jar()}, plugin);
    }

    private static URL jar() {
        return RawRows.class.getProtectionDomain().getCodeSource().getLocation();
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        return INTERFACES.contains(name)
                ? DriverLoader.class.getClassLoader().loadClass(name)
                : super.findClass(name);
    }

    /**
     * Empty if there is no bare driver for the scheme. The plugin must have opened the store
     * before; see {@link RawRowsProvider#open}.
     */
    public Optional<RawRows> open(StoreUrl url) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        // Drivers load their own classes and settings through it.
        thread.setContextClassLoader(this);
        try {
            for (RawRowsProvider provider : ServiceLoader.load(RawRowsProvider.class, this)) {
                if (provider.schemes().contains(url.scheme())) {
                    return Optional.of(provider.open(url));
                }
            }
            return Optional.empty();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    @Override
    public void close() {
        try {
            super.close();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
