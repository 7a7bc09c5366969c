//@ native
// The containers, each doing what it is for.
#include <algorithm>
#include <array>
#include <bitset>
#include <cstdio>
#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <stack>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

int main()
{
    std::vector<int> vector{5, 3, 8, 1};
    vector.push_back(4);
    vector.insert(vector.begin() + 1, 9);
    vector.erase(vector.begin());
    std::sort(vector.begin(), vector.end());
    std::printf("%d %zu %d\n", vector.front(), vector.size(), std::accumulate(vector.begin(), vector.end(), 0));
    std::deque<std::string> deque{"b"};
    deque.push_front("a");
    deque.push_back("c");
    for (auto &text : deque) std::printf("%s", text.c_str());
    std::list<int> list{3, 1, 2};
    list.sort();
    list.splice(list.begin(), std::list<int>{0});
    for (int number : list) std::printf(" %d", number);
    std::forward_list<int> forward{1, 2, 2, 3};
    forward.unique();
    std::printf(" %td\n", std::distance(forward.begin(), forward.end()));
    std::map<std::string, int> map;
    for (const char *word : {"the", "cat", "the", "dog", "the"}) map[word]++;
    for (auto &[word, count] : map) std::printf("%s=%d ", word.c_str(), count);
    std::multiset<int> multiset{2, 1, 2};
    std::printf("%zu %zu\n", multiset.count(2), multiset.size());
    std::unordered_map<std::string, int> unordered;
    for (int i = 0; i < 100; i++) unordered["key" + std::to_string(i)] = i;
    int sum = 0;
    for (auto &entry : unordered) sum += entry.second;
    std::printf("%d %d %zu\n", sum, unordered.at("key42"), unordered.erase("key7"));
    std::unordered_set<int> unordered_set{1, 2, 3, 2};
    std::priority_queue<int> heap;
    for (int number : {3, 9, 4}) heap.push(number);
    std::stack<int> stack;
    stack.push(1);
    stack.push(2);
    std::bitset<70> bits;
    bits.set(69).set(3);
    std::array<int, 3> array{{7, 8, 9}};
    std::printf("%zu %d %d %zu %d\n", unordered_set.size(), heap.top(), stack.top(), bits.count(), array.back());
}
