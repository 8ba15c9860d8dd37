package petrichor.jobs.mapreduce;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.hadoop.conf.Configurable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.util.ReflectionUtils;
import org.jspecify.annotations.Nullable;

/** Adapts a split of the older API, which serializes itself. Belongs to one thread. */
final class OldSplit extends InputSplit implements Writable, Configurable {
    private @Nullable Configuration configuration;
    private org.apache.hadoop.mapred.@Nullable InputSplit split;

    /** For deserialization. */
    OldSplit() {}

    OldSplit(org.apache.hadoop.mapred.InputSplit split) {
        this.split = split;
    }

    org.apache.hadoop.mapred.InputSplit split() {
        return java.util.Objects.requireNonNull(split, "a split that was not read");
    }

    @Override
    public void setConf(Configuration given) {
        configuration = given;
    }

    @Override
    public @Nullable Configuration getConf() {
        return configuration;
    }

    @Override
    public void write(DataOutput out) throws IOException {
        out.writeUTF(split().getClass().getName());
        split().write(out);
    }

    @Override
    public void readFields(DataInput in) throws IOException {
        String kind = in.readUTF();
        Configuration finds = java.util.Objects.requireNonNull(configuration);
        try {
            org.apache.hadoop.mapred.InputSplit read =
                    ReflectionUtils.newInstance(
                            finds.getClassByName(kind)
                                    .asSubclass(org.apache.hadoop.mapred.InputSplit.class),
                            finds);
            read.readFields(in);
            split = read;
        } catch (ClassNotFoundException missing) {
            throw new IOException("there is no class " + kind + " of a split", missing);
        }
    }

    @Override
    public long getLength() throws IOException {
        return split().getLength();
    }

    @Override
    public String[] getLocations() throws IOException {
        return split().getLocations();
    }

    @Override
    public String toString() {
        return split().toString();
    }
}
