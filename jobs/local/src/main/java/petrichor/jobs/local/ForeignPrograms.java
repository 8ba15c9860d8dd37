package petrichor.jobs.local;

import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import petrichor.jobs.pact.Plan;

/**
 * Makes plans of programs that were written for another system and are begun by their {@code main}.
 * Found as a service; stateless.
 */
public interface ForeignPrograms {
    /**
     * Runs the program as far as it has said what is to be done. What it does behind that is not
     * done.
     *
     * @return empty if the program has not asked the system that this is for
     */
    Optional<Plan> plan(Class<?> program, List<String> words) throws Exception;

    /** Whether such a program can be begun at all. */
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
