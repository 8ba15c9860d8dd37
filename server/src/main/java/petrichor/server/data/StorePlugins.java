package petrichor.server.data;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;
import petrichor.base.PetrichorException;
import petrichor.deployment.StoreDeployment;
import petrichor.kv.KeyValueStore;
import petrichor.kv.StorePlugin;
import petrichor.kv.StoreUrl;

/**
 * The plugins of datastores: one folder of jars each, next to the program. Each plugin has its own
 * class loader, so that libraries of different drivers cannot conflict with each other or with
 * Petrichor's; a plugin sees only the SPI. Plugins are loaded on first use.
 */
public final class StorePlugins {
    /**
     * System property with the plugins' folder, for programs that run from elsewhere (tests, an
     * IDE).
     */
    public static final String FOLDER_PROPERTY = "petrichor.stores";

    private final List<ClassLoader> plugins;

    private record Loaded(ClassLoader loader, StorePlugin plugin) {}

    private StorePlugins(List<ClassLoader> plugins) {
        this.plugins = plugins;
    }

    /** The plugins installed next to the jar of this class. */
    public static StorePlugins installed() {
        String named = System.getProperty(FOLDER_PROPERTY);
        return in(named == null ? besideTheProgram() : Path.of(named));
    }

    private static Path besideTheProgram() {
        try {
            Path jar =
                    Path.of(
                            StorePlugins.class
                                    .getProtectionDomain()
                                    .getCodeSource()
                                    .getLocation()
                                    .toURI());
            // <program>/lib/server.jar
            return jar.resolveSibling("../stores").normalize();
        } catch (URISyntaxException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /**
     * The plugins in a folder, with one subfolder of jars each; none if the folder does not exist.
     */
    public static StorePlugins in(Path folder) {
        if (!Files.isDirectory(folder)) {
            return new StorePlugins(List.of());
        }
        List<ClassLoader> plugins = new ArrayList<>();
        for (Path one : listed(folder)) {
            List<Path> jars =
                    listed(one).stream().filter(file -> file.toString().endsWith(".jar")).toList();
            if (!jars.isEmpty()) {
                plugins.add(
                        new URLClassLoader(
                                one.getFileName().toString(),
                                jars.stream().map(StorePlugins::url).toArray(URL[]::new),
                                new PluginApiClassLoader()));
            }
        }
        return new StorePlugins(plugins);
    }

    /**
     * INVALID_ARGUMENT if no plugin supports the scheme; for other failures see {@link
     * StorePlugin#open}.
     */
    public KeyValueStore open(StoreUrl url) {
        return with(url, plugin -> plugin.open(url));
    }

    /** Like {@link #open}; see {@link StorePlugin#openIfInitialized}. */
    public Optional<KeyValueStore> openIfInitialized(StoreUrl url) {
        return with(url, plugin -> plugin.openIfInitialized(url));
    }

    /**
     * The class loader of the plugin that opens this address: the parent for code that uses the
     * plugin's driver directly. Fails like {@link #open} if there is none.
     */
    public ClassLoader driver(StoreUrl url) {
        return loaded(url).loader();
    }

    private <T> T with(StoreUrl url, Function<StorePlugin, T> work) {
        Loaded loaded = loaded(url);
        return as(loaded.loader(), () -> work.apply(loaded.plugin()));
    }

    private Loaded loaded(StoreUrl url) {
        Set<String> schemes = new TreeSet<>();
        for (ClassLoader loader : plugins) {
            for (StorePlugin plugin : ServiceLoader.load(StorePlugin.class, loader)) {
                if (plugin.schemes().contains(url.scheme())) {
                    return new Loaded(loader, plugin);
                }
                schemes.addAll(plugin.schemes());
            }
        }
        throw PetrichorException.invalid(
                "there is no datastore '{scheme}'; store.url must start with one of {value}",
                "scheme",
                url.scheme(),
                "value",
                String.join(", ", schemes));
    }

    public List<StoreDeployment> deployments() {
        List<StoreDeployment> found = new ArrayList<>();
        // Deployments that are not datastores, such as ZooKeeper, are part of the
        // program.
        ServiceLoader.load(StoreDeployment.class, StorePlugins.class.getClassLoader())
                .forEach(found::add);
        for (ClassLoader loader : plugins) {
            ServiceLoader.load(StoreDeployment.class, loader).forEach(found::add);
        }
        found.sort(java.util.Comparator.comparing(StoreDeployment::store));
        return found;
    }

    public Optional<StoreDeployment> deployment(String store) {
        return deployments().stream().filter(one -> one.store().equals(store)).findFirst();
    }

    /** Sets the context class loader, through which drivers load their own classes. */
    private static <T> T as(ClassLoader loader, java.util.function.Supplier<T> work) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            return work.get();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static List<Path> listed(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static URL url(Path jar) {
        try {
            return jar.toUri().toURL();
        } catch (MalformedURLException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Exposes the JDK and the packages of the plugin SPI. */
    private static final class PluginApiClassLoader extends ClassLoader {
        private final ClassLoader parent = StorePlugins.class.getClassLoader();

        PluginApiClassLoader() {
            super("petrichor", getPlatformClassLoader());
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (name.startsWith("petrichor.base.")
                    || name.startsWith("petrichor.deployment.")
                    || name.startsWith("petrichor.kv.")) {
                return parent.loadClass(name);
            }
            throw new ClassNotFoundException(name);
        }
    }
}
