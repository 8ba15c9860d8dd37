package petrichor.jobs.service;

import java.util.Map;
import java.util.regex.Pattern;

/**
 * The environment of a job's process: that of the service, without its configuration ({@code
 * PETRICHOR_…}, which may contain tokens and passwords) and without variables that are named like a
 * secret. User code, and libraries that print the environment, would write these to the job's
 * output and so to the history. A job gets its own secrets by its arguments or from files.
 */
final class JobEnvironment {
    /** Every process that a job starts inherits this variable, with a value unique to the job. */
    static final String MARK = "PETRICHOR_JOB_PROCESS";

    private static final String OURS = "PETRICHOR_";

    private static final Pattern SECRET =
            Pattern.compile(
                    "(?i).*(TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL"
                            + "|(API|ACCESS|PRIVATE|SIGNING|ENCRYPTION)_?KEY).*");

    private JobEnvironment() {}

    static void limit(Map<String, String> environment, String mark) {
        environment.keySet().removeIf(JobEnvironment::isSecret);
        environment.put(MARK, mark);
    }

    static boolean isSecret(String name) {
        return name.startsWith(OURS) || SECRET.matcher(name).matches();
    }
}
