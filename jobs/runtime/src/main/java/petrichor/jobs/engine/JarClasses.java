package petrichor.jobs.engine;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;

/**
 * Child-first class loader for a job's jars. A library in a jar takes precedence over the version
 * that Petrichor uses, as in Hadoop's class loader for jobs: only the platform, Petrichor, Hadoop
 * and the logging interfaces always come from the parent.
 *
 * <p>Hadoop's database formats find a JDBC driver with {@code Class.forName}, which asks the loader
 * of the format itself: they are defined here, from the parent's bytes, so that they find the
 * drivers in the jar. Safe for any thread.
 */
public final class JarClasses extends URLClassLoader {
    /** System property of worker processes: their jars, separated like a class path. */
    private static final String JARS_PROPERTY = "petrichor.jobs.jars";

    /** Nothing of Hadoop outside these packages refers to them. */
    private static final List<String> DEFINED_HERE =
            List.of("org.apache.hadoop.mapred.lib.db.", "org.apache.hadoop.mapreduce.lib.db.");

    private static final List<String> OF_THE_PARENT =
            List.of(
                    "java.",
                    "javax.",
                    "jdk.",
                    "sun.",
                    "com.sun.",
                    "org.w3c.dom.",
                    "org.xml.sax.",
                    "petrichor.",
                    "org.apache.hadoop.",
                    "org.slf4j.",
                    "org.apache.commons.logging.",
                    "org.apache.log4j.");

    static {
        registerAsParallelCapable();
    }

    private JarClasses(URL[] jars, ClassLoader parent) {
        super(jars, parent);
    }

    public static JarClasses of(List<Path> jars, ClassLoader parent) {
        List<URL> urls = new ArrayList<>();
        for (Path jar : jars) {
            try {
                urls.add(jar.toUri().toURL());
            } catch (MalformedURLException e) {
                throw PetrichorException.invalid(
                        "{jar} cannot be opened: {reason}", "jar", jar, "reason", e.getMessage());
            }
        }
        return of(urls.toArray(URL[]::new), parent);
    }

    public static JarClasses of(URL[] jars, ClassLoader parent) {
        return new JarClasses(jars, parent);
    }

    /** The argument that passes the jars to a JVM; see {@link #ofThisProcess}. */
    public static String jvmArgument(List<Path> jars) {
        return "-D"
                + JARS_PROPERTY
                + "="
                + jars.stream()
                        .map(jar -> jar.toAbsolutePath().toString())
                        .collect(Collectors.joining(File.pathSeparator));
    }

    /** A loader for the jars that were passed to this JVM, on top of the classes of the program. */
    public static ClassLoader ofThisProcess() {
        ClassLoader parent = JarClasses.class.getClassLoader();
        String jars = System.getProperty(JARS_PROPERTY, "");
        return jars.isEmpty()
                ? parent
                : of(Stream.of(jars.split(File.pathSeparator, -1)).map(Path::of).toList(), parent);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        boolean defined = DEFINED_HERE.stream().anyMatch(name::startsWith);
        if (!defined && OF_THE_PARENT.stream().anyMatch(name::startsWith)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> known = findLoadedClass(name);
            if (known != null) {
                return known;
            }
            if (defined) {
                return define(name);
            }
            try {
                return findClass(name);
            } catch (ClassNotFoundException notHere) {
                return super.loadClass(name, resolve);
            }
        }
    }

    /**
     * Child-first, since resources of a library in the jar are in the jar, too; configuration comes
     * from the parent.
     */
    @Override
    public @Nullable URL getResource(String name) {
        boolean parents =
                name.endsWith(".xml")
                        || OF_THE_PARENT.stream()
                                .anyMatch(start -> name.startsWith(start.replace('.', '/')));
        URL here = parents ? null : findResource(name);
        return here == null ? super.getResource(name) : here;
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        // Inside Flink the parent finds classes of the program, but not its files.
        ClassLoader program = Objects.requireNonNull(JarClasses.class.getClassLoader());
        try (InputStream in = program.getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] bytes = in.readAllBytes();
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException unreadable) {
            throw new ClassNotFoundException(name, unreadable);
        }
    }
}
