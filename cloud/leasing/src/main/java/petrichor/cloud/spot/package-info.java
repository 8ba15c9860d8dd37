/**
 * Lifetimes of spot machines and the cost of their loss: the model of chapter 7 of the AppScale
 * thesis ({@link petrichor.cloud.spot.PriceChain}, {@link petrichor.cloud.spot.TerminationCost}),
 * an estimate from past prices without a model ({@link petrichor.cloud.spot.Survival}), and a
 * comparison of both on unseen prices ({@link petrichor.cloud.spot.Backtest}).
 *
 * <p>The thesis' equation 7.3 for the expected lifetime, the sum of n times the probability of
 * being alive after n hours, is not an expectation: it grows with the square of the longest time
 * considered. The expectation is the sum of those probabilities, which is computed here; the
 * printed equation is available for comparison.
 */
@NullMarked
package petrichor.cloud.spot;

import org.jspecify.annotations.NullMarked;
