package petrichor.jobs.mapreduce;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;
import petrichor.jobs.jobgraph.OfOneRun;

/**
 * A Hadoop job on its way to its tasks: its whole configuration, defaults included, so that a task
 * reads no file to know it. Immutable.
 *
 * @param configuration as Hadoop writes it, deflated: about 25 KB
 * @param classes that the configuration names; where they come from, others of the program are
 *     found
 * @param cluster with the number what Hadoop calls the job's id
 */
record HadoopJob(
        String name, byte[] configuration, List<Class<?>> classes, String cluster, int number)
        implements OfOneRun {
    private static final long serialVersionUID = 1L;

    /** The committer's way by which files show when the job is committed. */
    private static final int ALL_AT_ONCE = 1;

    /** Where a configuration names classes of a program. */
    private static final List<String> CLASS_NAMES =
            List.of(
                    MRJobConfig.MAP_CLASS_ATTR,
                    MRJobConfig.COMBINE_CLASS_ATTR,
                    MRJobConfig.REDUCE_CLASS_ATTR,
                    MRJobConfig.PARTITIONER_CLASS_ATTR,
                    MRJobConfig.INPUT_FORMAT_CLASS_ATTR,
                    MRJobConfig.OUTPUT_FORMAT_CLASS_ATTR,
                    MRJobConfig.MAP_OUTPUT_KEY_CLASS,
                    MRJobConfig.MAP_OUTPUT_VALUE_CLASS,
                    MRJobConfig.OUTPUT_KEY_CLASS,
                    MRJobConfig.OUTPUT_VALUE_CLASS,
                    MRJobConfig.KEY_COMPARATOR,
                    MRJobConfig.GROUP_COMPARATOR_CLASS,
                    MRJobConfig.COMBINER_GROUP_COMPARATOR_CLASS,
                    "mapred.mapper.class",
                    "mapred.combiner.class",
                    "mapred.reducer.class",
                    "mapred.partitioner.class",
                    "mapred.input.format.class",
                    "mapred.output.format.class",
                    "mapred.output.committer.class",
                    "mapred.map.runner.class");

    HadoopJob {
        classes = List.copyOf(classes);
    }

    static HadoopJob of(String name, Configuration configuration, JobID id) {
        Configuration whole = new Configuration(configuration);
        if (isDefault(whole, FileOutputCommitter.FILEOUTPUTCOMMITTER_ALGORITHM_VERSION)) {
            // Hadoop's default shows a task's files when the task is done, also of a job that
            // fails later.
            whole.setInt(FileOutputCommitter.FILEOUTPUTCOMMITTER_ALGORITHM_VERSION, ALL_AT_ONCE);
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(new DeflaterOutputStream(bytes))) {
            whole.write(out);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        List<Class<?>> classes = new ArrayList<>();
        for (String attribute : CLASS_NAMES) {
            Class<?> found = configuration.getClass(attribute, null);
            if (found != null) {
                classes.add(found);
            }
        }
        return new HadoopJob(name, bytes.toByteArray(), classes, id.getJtIdentifier(), id.getId());
    }

    /** Whether the program, or whoever configured it, has not said otherwise. */
    private static boolean isDefault(Configuration configuration, String key) {
        String[] sources = configuration.getPropertySources(key);
        return sources == null || sources[sources.length - 1].endsWith("-default.xml");
    }

    JobID id() {
        return new JobID(cluster, number);
    }

    /** A configuration of its own, which finds the program's classes. */
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

    /** That of the first class which is not Hadoop's own. */
    private ClassLoader loader() {
        ClassLoader hadoop = Mapper.class.getClassLoader();
        for (Class<?> each : classes) {
            ClassLoader loader = each.getClassLoader();
            if (loader != null && !loader.equals(hadoop)) {
                return loader;
            }
        }
        return hadoop;
    }

    /** A program is its classes; files, numbers and ids are another run's others. */
    @Override
    public Serializable lasting() {
        return new ArrayList<>(classes.stream().map(Class::getName).toList());
    }
}
