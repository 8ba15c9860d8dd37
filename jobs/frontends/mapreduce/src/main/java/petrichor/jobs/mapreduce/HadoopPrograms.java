package petrichor.jobs.mapreduce;

import java.lang.reflect.InvocationTargetException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.util.ConfigUtil;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.local.ForeignPrograms;
import petrichor.jobs.local.PlanRunner;
import petrichor.jobs.pact.Plan;

/** Runs the {@code main} of Hadoop programs, with their jobs on Petrichor's engine. Stateless. */
public final class HadoopPrograms implements ForeignPrograms {
    private static final String DEFAULTS = "petrichor-mapred-site.xml";

    /**
     * The program of a thread: that of the thread which started it, since programs submit jobs from
     * threads of their own, too ({@code JobControl}).
     */
    private static final InheritableThreadLocal<HadoopProgram> CURRENT =
            new InheritableThreadLocal<>();

    /** Null on threads of no program, such as those of a JVM that was started by {@code java}. */
    static @Nullable HadoopProgram current() {
        return CURRENT.get();
    }

    @Override
    public void run(Class<?> program, List<String> words, PlanRunner runner) throws Exception {
        HadoopLog.quiet();
        // Hadoop's own defaults first: later resources override them.
        ConfigUtil.loadResources();
        Configuration.addDefaultResource(DEFAULTS);
        Thread here = Thread.currentThread();
        ClassLoader before = here.getContextClassLoader();
        here.setContextClassLoader(program.getClassLoader());
        CURRENT.set(new HadoopProgram(runner));
        try {
            program.getMethod("main", String[].class)
                    .invoke(null, (Object) words.toArray(new String[0]));
        } catch (InvocationTargetException thrown) {
            switch (thrown.getCause()) {
                case Exception known -> throw known;
                case Error fatal -> throw fatal;
                case null, default -> throw thrown;
            }
        } finally {
            CURRENT.remove();
            here.setContextClassLoader(before);
        }
    }

    @Override
    public Optional<Plan> plan(Class<?> program, List<String> words) throws Exception {
        CompletableFuture<Optional<Plan>> first = new CompletableFuture<>();
        Thread main =
                Thread.ofPlatform()
                        .name("main of " + program.getName())
                        .daemon()
                        .unstarted(() -> runToFirstJob(program, words, first));
        main.start();
        try {
            return first.get();
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof Exception known ? known : failed;
        }
    }

    private void runToFirstJob(
            Class<?> program, List<String> words, CompletableFuture<Optional<Plan>> first) {
        try {
            run(program, words, plan -> take(plan, first));
            first.complete(Optional.empty());
        } catch (Throwable thrown) {
            first.completeExceptionally(thrown);
        }
    }

    /** Does not return: the program would continue without the result of its job. */
    private static PlanRunner.Submitted take(Plan plan, CompletableFuture<Optional<Plan>> first) {
        first.complete(Optional.of(plan));
        while (true) {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                // No thread may continue from here.
            }
        }
    }
}
