package petrichor.transactions.databases;

import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/** Why a transaction accepts no further requests. */
final class EndedTransactions {
    private EndedTransactions() {}

    static PetrichorException ended() {
        // INVALID_ARGUMENT as in Datastore: ABORTED would make clients repeat this very call.
        return PetrichorException.invalid(
                "The referenced transaction has expired or is no longer valid: it was committed,"
                        + " rolled back, or idle too long."
                        + " Begin a new one and retry.");
    }

    static PetrichorException contended() {
        return PetrichorException.of(
                ErrorCode.ABORTED,
                "Too much contention: another transaction holds a lock on a row to be read, or took"
                        + " over this transaction's locks. Retry, naming this transaction as the"
                        + " previous one.");
    }
}
