package petrichor.jobs.mapreduce;

import java.net.InetSocketAddress;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.protocol.ClientProtocol;
import org.apache.hadoop.mapreduce.protocol.ClientProtocolProvider;
import org.jspecify.annotations.Nullable;

/**
 * Makes Hadoop's clients submit to Petrichor: in programs that Petrichor runs, and in those whose
 * {@code mapreduce.framework.name} is {@code petrichor}. Found by Hadoop as a service; stateless.
 */
public final class RunnerProvider extends ClientProtocolProvider {
    static final String NAME = "petrichor";

    /** A process started by {@code java} is one program. */
    private static final HadoopProgram OF_THIS_PROCESS = new HadoopProgram(null);

    @Override
    public @Nullable ClientProtocol create(Configuration configuration) {
        HadoopProgram program = HadoopPrograms.current();
        if (program != null) {
            // Regardless of the configuration: no other framework could run its jobs here.
            return new Runner(configuration, program);
        }
        return NAME.equals(configuration.get(MRConfig.FRAMEWORK_NAME))
                ? new Runner(configuration, OF_THIS_PROCESS)
                : null;
    }

    @Override
    public @Nullable ClientProtocol create(InetSocketAddress address, Configuration configuration) {
        return null;
    }

    @Override
    public void close(ClientProtocol runner) {
        // It has no resources besides those of its jobs.
    }
}
