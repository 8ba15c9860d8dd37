package petrichor.jobs.mapreduce;

import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Reduces Hadoop's log output: it logs every step, and in a terminal, among a program's own output,
 * only warnings are useful. A level that was set explicitly is kept.
 */
final class HadoopLog {
    /** Strong references, because a logger without one is collected and loses its level. */
    private static final List<Logger> QUIETER =
            List.of(
                    Logger.getLogger("org.apache.hadoop.mapred"),
                    Logger.getLogger("org.apache.hadoop.mapreduce.lib"),
                    Logger.getLogger("org.apache.hadoop.mapreduce.JobSubmitter"),
                    Logger.getLogger("org.apache.hadoop.conf"));

    /**
     * They warn of conditions that are irrelevant here: missing native code, and a program that
     * does not parse options or name its jar for a cluster.
     */
    private static final List<Logger> SILENT =
            List.of(
                    Logger.getLogger("org.apache.hadoop.util.NativeCodeLoader"),
                    Logger.getLogger("org.apache.hadoop.mapreduce.JobResourceUploader"));

    private HadoopLog() {}

    static void quiet() {
        for (Logger logger : QUIETER) {
            if (logger.getLevel() == null) {
                logger.setLevel(Level.WARNING);
            }
        }
        for (Logger logger : SILENT) {
            if (logger.getLevel() == null) {
                logger.setLevel(Level.SEVERE);
            }
        }
    }
}
