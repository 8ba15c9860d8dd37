package petrichor.jobs.service;

import java.util.Map;
import java.util.regex.Pattern;

/**
 * The environment of a job's process: that of the service, without its configuration ({@code
 * PETRICHOR_…}, where tokens and passwords may be) and without whatever is named like a secret.
 * Code of jobs, and libraries that print the environment, would put these into the job's output and
 * so into the history. A job gets its own secrets in its arguments or in files.
 */
final class JobEnvironment {
    /** Every process that a job starts inherits this, with the value of its job. */
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
