package petrichor.jobs.service;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.hosted.StageRuntime;
import petrichor.jobs.engine.hosted.StageRuntimePlugin;

/**
 * Loads other runtimes that host jobs: one folder of jars each, next to the program. Each has a
 * class loader of its own, which isolates its libraries from Petrichor's; only Petrichor's own
 * classes are shared. Nothing is loaded before the first use. Stateless.
 */
public final class Backends {
    /**
     * Folder of the backends, for a program that does not run from its installation (tests, an
     * IDE).
     */
    public static final String FOLDER_PROPERTY = "petrichor.backends";

    private static final String ADDRESS_BEGINS = "://";

    private Backends() {}

    /**
     * Opens the named runtime. NOT_FOUND if it is not installed.
     *
     * @param backend its name, such as {@code flink} for one in this process, or its address, such
     *     as {@code flink://127.0.0.1:8081}
     * @param jars with user code for the tasks
     */
    public static StageRuntime open(String backend, List<Path> jars) {
        int at = backend.indexOf(ADDRESS_BEGINS);
        String name = at < 0 ? backend : backend.substring(0, at);
        String address = at < 0 ? "" : backend.substring(at + ADDRESS_BEGINS.length());
        ClassLoader loader = loader(name);
        for (StageRuntimePlugin plugin : ServiceLoader.load(StageRuntimePlugin.class, loader)) {
            if (plugin.name().equals(name)) {
                return plugin.open(address, jars);
            }
        }
        throw notInstalled(name);
    }

    /**
     * Turns off logging in this process, except for loggers with a level of their own: other
     * runtimes log a lot, and throw what is important. For programs that only run a job.
     */
    public static void silence() {
        Logger.getLogger("").setLevel(Level.OFF);
    }

    /** The folder of a backend's jars. NOT_FOUND if it is not installed. */
    public static Path folder(String name) {
        Path folder = folders().resolve(name);
        if (!name.matches("[a-z][a-z0-9-]*") || !Files.isDirectory(folder)) {
            throw notInstalled(name);
        }
        return folder;
    }

    private static PetrichorException notInstalled(String name) {
        return PetrichorException.of(
                ErrorCode.NOT_FOUND,
                "there is no backend '{name}' in {folder}; `petrichor build` builds the available"
                        + " ones, such as flink",
                "name",
                name,
                "folder",
                folders().resolve(name));
    }

    private static Path folders() {
        String named = System.getProperty(FOLDER_PROPERTY);
        return named == null ? besideTheProgram() : Path.of(named);
    }

    private static Path besideTheProgram() {
        try {
            Path jar =
                    Path.of(
                            Backends.class
                                    .getProtectionDomain()
                                    .getCodeSource()
                                    .getLocation()
                                    .toURI());
            // <program>/lib/jobs-service.jar
            return jar.resolveSibling("../backends").normalize();
        } catch (URISyntaxException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static ClassLoader loader(String name) {
        List<URL> jars = new ArrayList<>();
        Path folder = folder(name);
        try (Stream<Path> files = Files.list(folder)) {
            for (Path jar : files.filter(file -> file.toString().endsWith(".jar")).toList()) {
                jars.add(jar.toUri().toURL());
            }
        } catch (MalformedURLException impossible) {
            throw new IllegalStateException(impossible);
        } catch (IOException e) {
            throw FileProblem.of("cannot read " + folder, e);
        }
        return new URLClassLoader(name, jars.toArray(URL[]::new), new PluginApiClassLoader());
    }

    /**
     * Exposes the JDK and Petrichor's own classes, but none of its libraries; except Hadoop's,
     * which Hadoop programs and Petrichor share.
     */
    private static final class PluginApiClassLoader extends ClassLoader {
        private final ClassLoader parent = Backends.class.getClassLoader();

        PluginApiClassLoader() {
            super("petrichor", getPlatformClassLoader());
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (name.startsWith("petrichor.") || name.startsWith("org.apache.hadoop.")) {
                return parent.loadClass(name);
            }
            throw new ClassNotFoundException(name);
        }
    }
}
