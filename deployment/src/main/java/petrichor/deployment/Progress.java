package petrichor.deployment;

/** Reports long steps, one line each. */
@FunctionalInterface
public interface Progress {
    Progress SILENT = _ -> {};

    void say(String line);
}
