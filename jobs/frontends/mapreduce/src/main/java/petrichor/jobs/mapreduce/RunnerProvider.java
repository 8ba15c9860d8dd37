package petrichor.jobs.mapreduce;

import java.net.InetSocketAddress;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.protocol.ClientProtocol;
import org.apache.hadoop.mapreduce.protocol.ClientProtocolProvider;
import org.jspecify.annotations.Nullable;

/**
 * Lets programs submit their jobs to us: those that we run, and those whose {@code
 * mapreduce.framework.name} is {@code petrichor}. Found by Hadoop as a service; stateless.
 */
public final class RunnerProvider extends ClientProtocolProvider {
    static final String NAME = "petrichor";

    /** A process that {@code java} started is one program. */
    private static final HadoopProgram OF_THIS_PROCESS = new HadoopProgram(null);

    @Override
    public @Nullable ClientProtocol create(Configuration configuration) {
        HadoopProgram program = HadoopPrograms.current();
        if (program != null) {
            // Whatever its configuration names: nothing else is there that could run its jobs.
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
        // It holds nothing that its jobs do not hold themselves.
    }
}
