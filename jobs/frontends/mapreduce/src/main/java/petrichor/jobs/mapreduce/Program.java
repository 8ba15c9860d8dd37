package petrichor.jobs.mapreduce;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.serializer.Deserializer;
import org.apache.hadoop.io.serializer.SerializationFactory;
import org.apache.hadoop.io.serializer.Serializer;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.OutputFormat;
import org.apache.hadoop.mapreduce.Partitioner;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.task.JobContextImpl;
import org.apache.hadoop.util.ReflectionUtils;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;

/**
 * Instantiates the classes that a job's configuration names: each call creates a new object, and
 * configures it if it is configurable. The type parameters of the classes are known to the program
 * only; here they are objects. Belongs to one thread.
 */
final class Program {
    private static final String OLD_MAPPER = "mapred.mapper.class";
    private static final String OLD_REDUCER = "mapred.reducer.class";

    private final JobConf configuration;
    private final JobContext context;
    private final SerializationFactory serializations;

    Program(JobConf configuration) {
        this.configuration = configuration;
        this.context = new JobContextImpl(configuration, null);
        this.serializations = new SerializationFactory(configuration);
    }

    JobConf configuration() {
        return configuration;
    }

    int reduces() {
        return configuration.getNumReduceTasks();
    }

    boolean combines() {
        return configuration.get(JobContext.COMBINE_CLASS_ATTR) != null || oldCombiner() != null;
    }

    /**
     * Whether the input format, the mapper and the partitioner are of the older API. Hadoop's
     * clients set a flag when a job is submitted; without a submission, the classes decide.
     */
    boolean mapsOld() {
        return !configuration.getBoolean(
                "mapred.mapper.new-api", configuration.get(OLD_MAPPER) == null);
    }

    /** Whether the reducer is of the older API. */
    boolean reducesOld() {
        return !configuration.getBoolean(
                "mapred.reducer.new-api", configuration.get(OLD_REDUCER) == null);
    }

    /** The output format belongs to the API of the class that writes. */
    private boolean writesOld() {
        return reduces() == 0 ? mapsOld() : reducesOld();
    }

    /** Null if the job has none, or one of the newer API. */
    @SuppressWarnings("rawtypes") // as Hadoop declares it
    @Nullable Class<? extends org.apache.hadoop.mapred.Reducer> oldCombiner() {
        return configuration.getCombinerClass();
    }

    @SuppressWarnings("rawtypes") // as Hadoop declares it
    Class<? extends org.apache.hadoop.mapred.Reducer> oldReducer() {
        return configuration.getReducerClass();
    }

    List<InputSplit> splits(JobContext of) throws IOException, InterruptedException {
        if (!mapsOld()) {
            return inputFormat().getSplits(of);
        }
        List<InputSplit> splits = new ArrayList<>();
        for (var split :
                configuration
                        .getInputFormat()
                        .getSplits(configuration, configuration.getNumMapTasks())) {
            splits.add(new OldSplit(split));
        }
        return splits;
    }

    @SuppressWarnings("unchecked") // its types are known to the program only
    InputFormat<Object, Object> inputFormat() {
        return (InputFormat<Object, Object>) made(context::getInputFormatClass);
    }

    @SuppressWarnings("unchecked")
    OutputFormat<Object, Object> outputFormat() {
        if (writesOld()) {
            return new OldOutput(configuration);
        }
        return (OutputFormat<Object, Object>) made(context::getOutputFormatClass);
    }

    @SuppressWarnings("unchecked")
    Mapper<Object, Object, Object, Object> mapper() {
        return (Mapper<Object, Object, Object, Object>) made(context::getMapperClass);
    }

    @SuppressWarnings("unchecked")
    Reducer<Object, Object, Object, Object> combiner() {
        return (Reducer<Object, Object, Object, Object>) made(context::getCombinerClass);
    }

    @SuppressWarnings("unchecked")
    Reducer<Object, Object, Object, Object> reducer() {
        return (Reducer<Object, Object, Object, Object>) made(context::getReducerClass);
    }

    @SuppressWarnings("unchecked")
    Partitioner<Object, Object> partitioner() {
        if (mapsOld()) {
            var old =
                    (org.apache.hadoop.mapred.Partitioner<Object, Object>)
                            ReflectionUtils.newInstance(
                                    configuration.getPartitionerClass(), configuration);
            return new Partitioner<>() {
                @Override
                public int getPartition(Object key, Object value, int reduces) {
                    return old.getPartition(key, value, reduces);
                }
            };
        }
        return (Partitioner<Object, Object>) made(context::getPartitionerClass);
    }

    @SuppressWarnings("unchecked")
    Class<Object> keys() {
        return (Class<Object>) context.getMapOutputKeyClass();
    }

    @SuppressWarnings("unchecked")
    Class<Object> values() {
        return (Class<Object>) context.getMapOutputValueClass();
    }

    @SuppressWarnings("unchecked")
    RawComparator<Object> sorting() {
        return (RawComparator<Object>) context.getSortComparator();
    }

    @SuppressWarnings("unchecked")
    RawComparator<Object> grouping() {
        return (RawComparator<Object>) context.getGroupingComparator();
    }

    @SuppressWarnings("unchecked")
    RawComparator<Object> combinerGrouping() {
        return (RawComparator<Object>) context.getCombinerKeyGroupingComparator();
    }

    /** INVALID_ARGUMENT if nothing in {@code io.serializations} writes the class. */
    <T> Serializer<T> serializer(Class<T> of) {
        Serializer<T> found = serializations.getSerializer(of);
        if (found == null) {
            throw notWritable(of);
        }
        return found;
    }

    @SuppressWarnings("unchecked") // a split's class is the class of the split
    byte[] serialized(InputSplit split) throws IOException {
        DataOutputBuffer bytes = new DataOutputBuffer();
        Serializer<InputSplit> serializer = serializer((Class<InputSplit>) split.getClass());
        serializer.open(bytes);
        serializer.serialize(split);
        serializer.close();
        return Arrays.copyOf(bytes.getData(), bytes.getLength());
    }

    @SuppressWarnings("unchecked")
    InputSplit split(String kind, byte[] bytes) throws IOException {
        try {
            Class<InputSplit> found =
                    kind.equals(OldSplit.class.getName())
                            ? (Class<InputSplit>) (Class<?>) OldSplit.class
                            : (Class<InputSplit>) configuration.getClassByName(kind);
            DataInputBuffer in = new DataInputBuffer();
            in.reset(bytes, bytes.length);
            Deserializer<InputSplit> deserializer = serializations.getDeserializer(found);
            if (deserializer == null) {
                throw notWritable(found);
            }
            deserializer.open(in);
            InputSplit split = found.cast(deserializer.deserialize(null));
            deserializer.close();
            return split;
        } catch (ClassNotFoundException missing) {
            throw new IOException("there is no class " + kind + " of a split", missing);
        }
    }

    private static PetrichorException notWritable(Class<?> of) {
        return PetrichorException.invalid(
                "no serialization of io.serializations supports {class}: make it a Writable, or"
                        + " name a serialization for it",
                "class",
                of.getName());
    }

    private interface Named {
        Class<?> find() throws ClassNotFoundException;
    }

    private Object made(Named named) {
        try {
            return ReflectionUtils.newInstance(named.find(), configuration);
        } catch (ClassNotFoundException missing) {
            throw PetrichorException.invalid(
                    "a class that the job names is missing: {reason}; put it into the program's"
                            + " jar",
                    "reason",
                    missing.getMessage());
        }
    }
}
