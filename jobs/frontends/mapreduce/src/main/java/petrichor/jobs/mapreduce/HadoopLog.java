package petrichor.jobs.mapreduce;

import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Hadoop tells at every step what it does: in a terminal, and among what a program prints, only
 * warnings are of use. Whoever has set a level keeps it.
 */
final class HadoopLog {
    /** Held, because a logger that nobody holds forgets its level. */
    private static final List<Logger> QUIETER =
            List.of(
                    Logger.getLogger("org.apache.hadoop.mapred"),
                    Logger.getLogger("org.apache.hadoop.mapreduce.lib"),
                    Logger.getLogger("org.apache.hadoop.mapreduce.JobSubmitter"),
                    Logger.getLogger("org.apache.hadoop.conf"));

    /**
     * They warn of what does not matter here: that there is no native code, and that a program does
     * not parse options or name its jar for a cluster.
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
