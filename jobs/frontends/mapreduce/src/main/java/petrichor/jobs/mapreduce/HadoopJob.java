package petrichor.jobs.mapreduce;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;
import petrichor.jobs.jobgraph.RunSpecific;

/**
 * A Hadoop job as sent to its tasks: its whole configuration, defaults included, so that a task
 * needs no file to know it. Immutable.
 *
 * @param configuration in Hadoop's format, deflated: about 25 KB
 * @param named the classes that the configuration names
 * @param classes those of them from jars; their class loaders find the program's other classes
 * @param cluster with the number, Hadoop's id of the job
 */
record HadoopJob(
        String name,
        byte[] configuration,
        List<String> named,
        List<Class<?>> classes,
        String cluster,
        int number)
        implements RunSpecific {
    private static final long serialVersionUID = 1L;

    /** The committer algorithm that makes files visible when the job is committed. */
    private static final int ALL_AT_ONCE = 1;

    /** The file with the configuration of a submitted job, which overrides all other resources. */
    static final String SUBMITTED = "job.xml";

    /** A configuration value may be a class name, or contain several, each with a path. */
    private static final Pattern NAME =
            Pattern.compile("[\\p{L}_$][\\w$]*(?:\\.[\\p{L}_$][\\w$]*)*");

    HadoopJob {
        named = List.copyOf(named);
        classes = List.copyOf(classes);
    }

    static HadoopJob of(String name, Configuration configuration, JobID id) {
        Configuration whole = new Configuration(configuration);
        if (isDefault(whole, FileOutputCommitter.FILEOUTPUTCOMMITTER_ALGORITHM_VERSION)) {
            // By default Hadoop makes a task's files visible when the task is done, even if the job
            // fails later.
            whole.setInt(FileOutputCommitter.FILEOUTPUTCOMMITTER_ALGORITHM_VERSION, ALL_AT_ONCE);
        }
        CacheFiles.note(whole);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(new DeflaterOutputStream(bytes))) {
            whole.write(out);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        SortedMap<String, Class<?>> named = named(configuration);
        // Tasks may have fewer libraries than this process, such as those that Hadoop's optional
        // file systems need.
        ClassLoader hadoop = Mapper.class.getClassLoader();
        List<Class<?>> classes =
                named.values().stream()
                        .filter(each -> !each.getClassLoader().equals(hadoop))
                        .toList();
        return new HadoopJob(
                name,
                bytes.toByteArray(),
                List.copyOf(named.keySet()),
                classes,
                id.getJtIdentifier(),
                id.getId());
    }

    /**
     * The program's classes named anywhere in the configuration: Hadoop's library has keys of its
     * own for the mappers of a chain or of an input.
     */
    private static SortedMap<String, Class<?>> named(Configuration configuration) {
        SortedMap<String, Class<?>> found = new TreeMap<>();
        for (Map.Entry<String, String> each : configuration) {
            if (!isDefault(configuration, each.getKey())) {
                NAME.matcher(each.getValue())
                        .results()
                        .map(MatchResult::group)
                        .filter(name -> !found.containsKey(name))
                        .forEach(
                                name ->
                                        classOf(name, configuration.getClassLoader())
                                                .ifPresent(known -> found.put(name, known)));
            }
        }
        return found;
    }

    /**
     * Empty for other words, and for classes that every process has or that cannot be loaded here.
     */
    private static Optional<Class<?>> classOf(String name, ClassLoader loader) {
        try {
            Class<?> known = Class.forName(name, false, loader);
            return known.getClassLoader() == null ? Optional.empty() : Optional.of(known);
        } catch (ClassNotFoundException | LinkageError none) {
            return Optional.empty();
        }
    }

    /** Whether the value is the default, not set by the program or a configuration file. */
    private static boolean isDefault(Configuration configuration, String key) {
        String[] sources = configuration.getPropertySources(key);
        return sources == null
                || Arrays.stream(sources)
                        .filter(source -> !source.endsWith(SUBMITTED))
                        .allMatch(source -> source.endsWith("-default.xml"));
    }

    JobID id() {
        return new JobID(cluster, number);
    }

    /** A new configuration, which finds the program's classes. */
    JobConf open() {
        HadoopLog.quiet();
        JobConf opened = new JobConf(false);
        try (DataInputStream in =
                new DataInputStream(
                        new InflaterInputStream(new ByteArrayInputStream(configuration)))) {
            opened.readFields(in);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        opened.setClassLoader(loader());
        return opened;
    }

    /** The class loader of a class from a jar; of several, the child. */
    private ClassLoader loader() {
        ClassLoader hadoop = Mapper.class.getClassLoader();
        ClassLoader found = hadoop;
        for (Class<?> each : classes) {
            ClassLoader loader = each.getClassLoader();
            if (found.equals(hadoop) || asks(loader, found)) {
                found = loader;
            }
        }
        return found;
    }

    private static boolean asks(ClassLoader loader, ClassLoader another) {
        ClassLoader above = loader.getParent();
        return above != null && (above.equals(another) || asks(above, another));
    }

    /** Only the program's classes are stable; files, numbers and ids differ between runs. */
    @Override
    public Serializable lasting() {
        return new ArrayList<>(named);
    }
}
