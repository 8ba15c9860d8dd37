package petrichor.jobs.flink;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;
import petrichor.jobs.engine.JarClasses;

/**
 * The classes of a job's jars inside Flink's processes. Flink's own class loader takes all of
 * Hadoop's classes from the program, whose database formats then do not find a JDBC driver in the
 * jar; {@link JarClasses} defines these formats beside the driver. Thread-safe.
 */
final class JobClasses {
    /**
     * By Flink's class loader of the job, with which they are collected: the tasks of a job in a
     * process share its classes and open its jars once.
     */
    private static final Map<ClassLoader, ClassLoader> OF_JOBS =
            Collections.synchronizedMap(new WeakHashMap<>());

    private JobClasses() {}

    /**
     * @param flinks Flink's class loader for the job, which has its jars
     */
    static ClassLoader over(ClassLoader flinks) {
        URL[] jars = flinks instanceof URLClassLoader urls ? urls.getURLs() : new URL[0];
        return jars.length == 0
                ? flinks
                : OF_JOBS.computeIfAbsent(flinks, _ -> JarClasses.of(jars, program()));
    }

    private static ClassLoader program() {
        return Objects.requireNonNull(JobClasses.class.getClassLoader());
    }
}
