package petrichor.jobs.mapreduce;

import java.lang.reflect.InvocationTargetException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.util.ConfigUtil;
import petrichor.jobs.local.ForeignPrograms;
import petrichor.jobs.pact.Plan;

/**
 * Begins a Hadoop program's {@code main}, and takes the job that it submits: its plan is the job's.
 * The program itself stands still from then on: what it would do with the result is not done, and
 * it cannot submit a second one. Stateless.
 */
public final class HadoopPrograms implements ForeignPrograms {
    private static final String DEFAULTS = "petrichor-mapred-site.xml";

    /** Who waits for the job of the program that runs in this thread. */
    static final ScopedValue<Taker> TAKER = ScopedValue.newInstance();

    /** Takes a program's job. Safe for all threads. */
    static final class Taker {
        private final CompletableFuture<Optional<Plan>> plan = new CompletableFuture<>();

        /** Does not return. */
        void take(Plan taken) throws InterruptedException {
            plan.complete(Optional.of(taken));
            new CountDownLatch(1).await();
        }
    }

    @Override
    public Optional<Plan> plan(Class<?> program, List<String> words) throws Exception {
        HadoopLog.quiet();
        // Hadoop's own defaults first: what is added later counts.
        ConfigUtil.loadResources();
        Configuration.addDefaultResource(DEFAULTS);
        Taker taker = new Taker();
        ClassLoader loader = program.getClassLoader();
        Thread main =
                Thread.ofPlatform()
                        .name("main of " + program.getName())
                        .daemon()
                        .unstarted(
                                () ->
                                        ScopedValue.where(TAKER, taker)
                                                .run(() -> begin(program, words, taker)));
        main.setContextClassLoader(loader);
        main.start();
        try {
            return taker.plan.get();
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof Exception known ? known : failed;
        }
    }

    private static void begin(Class<?> program, List<String> words, Taker taker) {
        try {
            program.getMethod("main", String[].class)
                    .invoke(null, (Object) words.toArray(new String[0]));
            // It has ended without a job.
            taker.plan.complete(Optional.empty());
        } catch (InvocationTargetException thrown) {
            taker.plan.completeExceptionally(thrown.getCause());
        } catch (ReflectiveOperationException wrong) {
            taker.plan.completeExceptionally(wrong);
        }
    }
}
