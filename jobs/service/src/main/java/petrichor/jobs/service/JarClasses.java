package petrichor.jobs.service;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;

/**
 * The classes of a job's jar. Hadoop's database formats find a JDBC driver with {@code
 * Class.forName}, which asks the loader of the format itself: they are defined here, from the bytes
 * that the parent has, so that they find the drivers in the jar. Safe for any thread.
 */
final class JarClasses extends URLClassLoader {
    /** Nothing of Hadoop outside of these packages refers to them. */
    private static final List<String> DEFINED_HERE =
            List.of("org.apache.hadoop.mapred.lib.db.", "org.apache.hadoop.mapreduce.lib.db.");

    static {
        registerAsParallelCapable();
    }

    JarClasses(URL jar, ClassLoader parent) {
        super(new URL[] {jar}, parent);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (DEFINED_HERE.stream().noneMatch(name::startsWith)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> known = findLoadedClass(name);
            return known == null ? define(name) : known;
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
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
