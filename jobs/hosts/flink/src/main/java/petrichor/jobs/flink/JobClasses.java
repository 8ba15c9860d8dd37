package petrichor.jobs.flink;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.Objects;
import petrichor.jobs.engine.JarClasses;

/**
 * The classes of a job's jars inside Flink's processes. Flink's own class loader takes all of
 * Hadoop's classes from the program, whose database formats then do not find a JDBC driver in the
 * jar; {@link JarClasses} defines these formats beside the driver.
 */
final class JobClasses {
    private JobClasses() {}

    /**
     * @param flinks Flink's class loader for the job, which has its jars
     */
    static ClassLoader over(ClassLoader flinks) {
        URL[] jars = flinks instanceof URLClassLoader urls ? urls.getURLs() : new URL[0];
        return jars.length == 0
                ? flinks
                : JarClasses.of(jars, Objects.requireNonNull(JobClasses.class.getClassLoader()));
    }
}
