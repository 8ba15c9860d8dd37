package petrichor.kv.redis;

import petrichor.base.PetrichorException;
import petrichor.kv.DurableStep;
import petrichor.kv.StoreFailures;
import petrichor.kv.WriteBatch;

/**
 * Commits by one script that also checks the fence: Redis runs a script atomically, and logs and
 * syncs its effects before it responds.
 */
record RedisFences(RedisStore store, Scripts scripts, Keyspace names)
        implements DurableStep.AtomicBatch {

    @Override
    public long takeFence(byte[] domain) {
        byte[][] keys = {names.fences(), names.lastFence()};
        return scripts.run(Script.TAKE_FENCE, keys, domain).orThrow();
    }

    @Override
    public Outcome commit(byte[] domain, long fence, WriteBatch batch) {
        StoreFailures.requireFits(batch, store.capabilities());
        ScriptedBatch scripted = ScriptedBatch.of(names, batch);
        Reply<Long> reply =
                scripts.run(Script.APPLY, scripted.keys(), scripted.arguments(domain, fence));
        return switch (reply) {
            case Reply.ProcessOutput<Long>(Long answer) -> {
                if (answer == 0) {
                    yield Outcome.FENCED;
                }
                store.applied(scripted, answer);
                yield Outcome.DONE;
            }
            case Reply.Refused<Long>(PetrichorException why) -> throw why;
            case Reply.Unanswered<Long> _ -> Outcome.UNKNOWN;
        };
    }
}
