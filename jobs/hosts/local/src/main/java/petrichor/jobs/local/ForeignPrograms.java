package petrichor.jobs.local;

import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import petrichor.jobs.pact.Plan;

/**
 * Runs programs that were written for another system and start at their {@code main}. Found as a
 * service; stateless.
 */
public interface ForeignPrograms {
    /**
     * Runs the program up to the first job that it submits, and returns that job's plan. The
     * program stops there: this is for explaining a plan, not for running a program.
     *
     * @return empty if the program ended without submitting a job
     */
    Optional<Plan> plan(Class<?> program, List<String> words) throws Exception;

    /**
     * Runs the program's {@code main} to its end on this thread. Every job that it submits to the
     * system becomes a plan and runs through {@code runner}; submitting returns at once, as on the
     * other system, and {@code main} waits for its jobs in its own way. Exceptions of {@code main}
     * are passed on.
     */
    void run(Class<?> program, List<String> words, PlanRunner runner) throws Exception;

    /** Whether such a program can be started at all. */
    static boolean hasMain(Class<?> program) {
        try {
            program.getMethod("main", String[].class);
            return true;
        } catch (NoSuchMethodException none) {
            return false;
        }
    }

    static List<ForeignPrograms> installed() {
        return ServiceLoader.load(ForeignPrograms.class, ForeignPrograms.class.getClassLoader())
                .stream()
                .map(ServiceLoader.Provider::get)
                .toList();
    }
}
